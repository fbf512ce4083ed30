"""The navigation: every page of `docs/`, folder by folder. What isn't named in an order comes after it, by its title."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_MARKUP = re.compile(r"[`*_]")


class Section(NamedTuple):
    title: str
    folder: str
    first: tuple[str, ...] = ()


SECTIONS = (
    Section("Tutorials", "tutorials", ("first-hour-facility-manager.md", "first-hour-integrator.md")),
    Section(
        "How-tos",
        "howto",
        (
            "sync-with-an-erp.md", "import-from-csv.md", "follow-changes.md", "data-warehouse.md", "receive-webhooks.md",
            "webhooks-with-no-code.md", "connect-devices.md", "bms-over-mqtt.md", "lorawan.md", "from-tokens-to-keys.md",
            "use-the-command-line.md", "use-with-an-assistant.md", "forgotten-passwords.md",
        ),
    ),
    Section("Concepts", "concepts", ("request.md", "delivery.md", "telemetry.md", "tenancy.md", "processes.md")),
    Section("Reference", "reference", ("conventions.md", "records.md", "identity.md", "events.md", "errors.md")),
    Section(
        "Operate",
        "operate",
        (
            "install.md", "one-machine.md", "several-machines.md", "sizing.md", "upgrade.md", "backup-and-restore.md",
            "monitoring.md", "doctor.md", "secret-key.md", "pgbouncer.md", "replicas.md", "citus.md", "leaving-customers.md",
        ),
    ),
    Section("Decisions", "decisions"),
)  # fmt: skip
# Pages that lie elsewhere in the project, by their place in the site.
PROJECT_PAGES = {
    "project/changelog.md": "CHANGELOG.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/security.md": "SECURITY.md",
    "project/code-of-conduct.md": "CODE_OF_CONDUCT.md",
    "project/bench.md": "bench/README.md",
    "project/soak.md": "soak/README.md",
    "project/python-client.md": "clients/python/README.md",
}
# In which folder of folders a page has which heading.
_FOLDER_TITLES = {"api": "API", "runbooks": "Runbooks"}

Entry = dict[str, "str | list[Entry]"]


def title_of(page: Path) -> str:
    """Its first heading."""
    found = _TITLE.search(page.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{page.relative_to(ROOT)} has no heading '# …'")
    return _MARKUP.sub("", found[1])


def project_pages() -> dict[str, Path]:
    """Those that are there, by their place in the site."""
    return {place: ROOT / name for place, name in PROJECT_PAGES.items() if (ROOT / name).exists()}


def navigation() -> list[Entry]:
    start: list[Entry] = [{"Start": "index.md"}, {"Quickstart": "quickstart/README.md"}]
    sections: list[Entry] = [
        {section.title: _pages(DOCS / section.folder, section.first)}
        for section in SECTIONS
        if (DOCS / section.folder).is_dir()
    ]
    project: list[Entry] = [{title_of(file): place} for place, file in project_pages().items()]
    return [{"Start": [*start]}, *sections, {"Project": project}]


def _pages(folder: Path, first: tuple[str, ...]) -> list[Entry]:
    """The folder's own page, then the others, then its folders."""

    def place(page: Path) -> tuple[bool, int, str]:
        order = first.index(page.name) if page.name in first else len(first)
        name = page.name if page.name[0].isdigit() else title_of(page).lower()
        return (page.name != "README.md", order, name)

    entries: list[Entry] = [
        {title_of(page).removeprefix("API: "): page.relative_to(DOCS).as_posix()}
        for page in sorted(folder.glob("*.md"), key=place)
    ]
    inner: list[Entry] = [
        {_FOLDER_TITLES.get(one.name, one.name.capitalize()): _pages(one, ())}
        for one in sorted(folder.iterdir())
        if one.is_dir() and any(one.glob("*.md"))
    ]
    return [*entries, *inner]
