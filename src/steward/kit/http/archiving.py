"""The routes that archive a record, and restore it."""

from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.http.verbs import MoveVerb


def archive_routes(
    resource: Resource,
    noun: str,
    archive: MoveVerb,
    restore: MoveVerb,
    *,
    archives: str = "",
    restores: str = "",
    refusals: dict[int, str] | None = None,
    restore_refusals: dict[int, str] | None = None,
) -> tuple[Route, Route]:
    """`noun` with its article; `archives` and `restores` say what else the moves do."""
    name = resource.gives.__name__
    hides = (
        "Lists and choices no longer show it, unless `archived=true` asks for it; whatever names it stays. "
        "Who does it again changes nothing."
    )
    return (
        resource.move(
            "archive",
            archive,
            f"archive{name}",
            f"Archive {noun}",
            description=f"{hides} {archives}".strip(),
            refusals=refusals or {},
        ),
        resource.move(
            "restore",
            restore,
            f"restore{name}",
            f"Restore {noun} that was archived",
            description=f"It is in sight again. Who does it again changes nothing. {restores}".strip(),
            refusals=restore_refusals or {},
        ),
    )
