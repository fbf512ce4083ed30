"""The permissions, and which built-in role has which."""

from scripts.generate.tables import NOTE, table
from steward.kit.security.permissions import MEANINGS, Permission
from steward.roles.model import BUILT_IN


def permissions() -> str:
    meanings = table(("permission", "meaning"), *((f"`{p}`", MEANINGS[p]) for p in Permission))
    roles = table(("role", "for"), *((name, what) for name, (what, _) in BUILT_IN.items()))
    matrix = table(
        ("permission", *BUILT_IN),
        *((f"`{p}`", *("✓" if p in held else "" for _, held in BUILT_IN.values())) for p in Permission),
    )
    return (
        f"{NOTE}# Permissions\n\nOne vocabulary for roles and API keys.\n\n{meanings}\n## Built-in roles\n\n"
        f"They come with every organization and can be neither changed nor deleted.\n\n{roles}\n## Who may do what\n\n{matrix}"
    )
