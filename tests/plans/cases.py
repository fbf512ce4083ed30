"""The requests to every list: each filter alone and any two together, in each order, from the start and from the middle."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import msgspec
from tests.plans.crowd import ABSENT, COMMON_WORD, OFTEN, OLD_WORD, OTHER, RARE, RARE_WORD

from steward.kit.db.listing import Filter, Listing, Order

# Values of filters whose condition doesn't show them, by the list's table and their name.
_SPECIAL: dict[tuple[str, str], list[Any]] = {
    ("work_orders", "assignee_or_nobody"): [[OFTEN], [ABSENT]],
    ("work_orders", "unassigned"): [True],
    ("work_orders", "overdue"): [True],
    ("work_orders", "in_time"): [True],
    ("alerts", "location_id"): [OFTEN, ABSENT],
    ("alerts", "within"): [RARE],
    ("alerts", "open"): [True],
    ("bookable_resources", "free"): [(1, 2)],
    ("bookable_resources", "features"): [["window"]],
    ("alert_rules", "enabled"): [False],
    ("events", "type"): [["asset.*"], "workorder.created"],
    ("deliveries", "type"): [["asset.*"], "workorder.created"],
    ("deliveries", "event_id"): ["evt_unknown", ["evt_unknown", "evt_other"]],
}
_MANY_PLACES = [f"place {number}" for number in range(300)]


class Case(msgspec.Struct, frozen=True):
    filters: dict[str, Any]
    order: Order | None = None
    deep: bool = False

    def __str__(self) -> str:
        order = "" if self.order is None else f" by {self.order.expression}{' down' * self.order.descending}"
        return (
            f"{ {name: _short(value) for name, value in self.filters.items()} }{order}{' deep' * self.deep}"
        )


def _short(value: Any) -> Any:
    return f"{len(value)} values" if isinstance(value, list) and len(value) > 3 else value


def values(listing: Listing, name: str, known: Filter, rows: int) -> list[Any]:
    """Values for a filter: of many records, of few and of none."""
    special = _SPECIAL.get((listing.name, name))
    if special is not None:
        return special
    if known.words is not None:
        return [COMMON_WORD, OLD_WORD, RARE_WORD, "nowhere"]
    if known.unique:
        return [17 if name == "number" else "external 17"]
    if known.expand is not None:
        return [RARE, _MANY_PLACES]
    if known.type == "boolean":
        return [True, False]
    if known.type == "integer":
        return [5, -1]
    if known.column is not None:
        return [OFTEN, RARE, ABSENT, [OTHER, RARE]]
    if known.condition.endswith(" = {}"):
        return [OFTEN, ABSENT]
    if name.endswith((": on", ": off")):
        return [name.endswith(": on")]
    if known.range is not None or not known.indexed:
        return [rows - 5, rows // 2, 2 * rows] if ">" in known.condition else [5, rows // 2, -1]
    raise AssertionError(f"add values for filter {name} of {listing.name} to {__name__}")


def cases(listing: Listing, rows: int) -> Iterator[Case]:
    yield from single_cases(listing, rows, ("", *listing.orders))
    yield from paired_cases(listing, rows)


def single_cases(listing: Listing, rows: int, sorts: Iterable[str]) -> Iterator[Case]:
    """Without a filter, and with each alone; in the list's default order also from the middle."""
    parent, asked = _asked(listing, rows)
    for sort in sorts:
        order = listing.orders.get(sort)
        needed = listing.sorts[sort.removeprefix("-")].only_with if sort else None
        always = parent if needed is None else {**parent, needed: True}
        yield Case(always, order)
        for name, some in asked.items():
            yield from (Case({**always, name: value}, order) for value in some)
    yield Case(parent, deep=True)
    yield from (Case({**parent, name: some[0]}, deep=True) for name, some in asked.items())


def paired_cases(listing: Listing, rows: int, *, values: int = 2) -> Iterator[Case]:
    parent, asked = _asked(listing, rows)
    for one, other in combinations(asked, 2):
        yield from (Case({**parent, one: asked[one][0], other: value}) for value in asked[other][:values])


def _asked(listing: Listing, rows: int) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """The parent filters, and the values of all others."""
    known, parent = listing.declared.known, dict.fromkeys(listing.parent, OFTEN)
    return parent, {
        name: values(listing, name, filter, rows) for name, filter in known.items() if name not in parent
    }
