"""What the rows of a file make of the tree."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from steward.kit.domain.csv_rows import Rows
from steward.kit.domain.patch import differing
from steward.locations.imports.model import LocationRow
from steward.locations.model import Location, LocationChanges
from steward.locations.rules import changed

Parents = Mapping[str, str | None]


def merged(old: Location, row: LocationRow) -> Location:
    return changed(old, differing(LocationChanges, old, row))


def wanted_parents(
    rows: Rows[LocationRow], locations: Mapping[int, Location], stored: Mapping[str, str]
) -> dict[int, str | None]:
    """The parent of each, by line. `stored` are existing ones, by externalId; the file comes first."""
    in_file = {one.external_id: one.id for one in locations.values() if one.external_id is not None}
    found: dict[int, str | None] = {}
    for line, row in rows.by_line.items():
        found[line] = row.parent_id
        if row.parent_external_id is None:
            continue
        parent = in_file.get(row.parent_external_id) or stored.get(row.parent_external_id)
        if row.parent_id is not None and row.parent_id != parent:
            rows.refuse(line, "parentExternalId", "names another location than parentId")
        elif parent is None:
            rows.refuse(
                line, "parentExternalId", "names no location of this organization, nor one of the file"
            )
        found[line] = parent
    return found


def refuse_unknown_parents(rows: Rows[LocationRow], parents: Mapping[int, str | None], tree: Parents) -> None:
    for line, parent in parents.items():
        if parent is not None and parent not in tree:
            rows.refuse(line, "parentId", "names no location of this organization")


def refuse_circles(rows: Rows[LocationRow], locations: Mapping[int, Location], tree: Parents) -> None:
    """`tree` is as it would be after the import."""
    for line, location in locations.items():
        seen, above = {location.id}, tree.get(location.id)
        while above is not None and above not in seen:
            seen.add(above)
            above = tree.get(above)
        if above == location.id:
            rows.refuse(line, "parentId", "a location can't lie in itself")


def from_the_top(made: Iterable[Location]) -> list[Location]:
    """Each after its parent."""
    waiting = {location.id: location for location in made}
    ordered: list[Location] = []
    for location in list(waiting.values()):
        chain = []
        found: Location | None = location
        while found is not None and found.id in waiting:
            chain.append(waiting.pop(found.id))
            found = waiting.get(found.parent_id or "")
        ordered += reversed(chain)
    return ordered


def in_place(location: Location, parent_id: str | None) -> Location:
    return location if location.parent_id == parent_id else replace(location, parent_id=parent_id)
