"""The settings, from their one declaration."""

from scripts.generate.tables import NOTE, table
from steward.settings import SETTINGS, Settings


def settings() -> str:
    defaults = Settings()
    rows = []
    for setting in SETTINGS:
        shown = _shown(getattr(defaults, setting.name))
        rows.append(
            (f"`{setting.variable}`", setting.format, f"`{shown}`" if shown else "none", setting.meaning)
        )
    rows_of_page = table(("variable", "written as", "default", "meaning"), *rows)
    return (
        f"{NOTE}# Settings\n\nRead from the environment once, at the start. A variable that begins with `STEWARD_` and "
        "isn't listed here, or a value that can't be read, stops the start with a line that names it. Options of "
        "`steward up` win over the environment. `STEWARD_URL`, `STEWARD_API_KEY`, `STEWARD_ORG` and `STEWARD_PROFILE` are for callers of the API, "
        f"as in all examples: the service ignores them.\n\n{rows_of_page}"
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value) if value else ""
