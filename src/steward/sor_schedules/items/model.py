"""Items: the price of one unit of a piece of work in a schedule."""

from typing import Annotated

from msgspec import Meta

from steward.kit.db.constraints import Constraints, Taken
from steward.kit.domain.fields import MUST, Body, Record, Seconds
from steward.kit.domain.list_query import SortedPageQuery
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.sor_schedules import model as schedules

MAX_RATE_CENTS = 10**12

Code = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"^\S(.*\S)?$",
        extra={MUST: "not begin or end with a space"},
        examples=["PLB-010"],
    ),
]
ItemText = Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")]
Unit = Annotated[str, Meta(min_length=1, max_length=50, pattern=r"\S", examples=["m2"])]
Rate = Annotated[int, Meta(ge=0, le=MAX_RATE_CENTS, description="Cents for one unit.", examples=[4250])]


class RateItem(Record, frozen=True):
    id: str
    schedule_id: str
    code: str
    description: str
    unit: str
    rate_cents: Rate
    created: Seconds
    updated: Seconds


class NewRateItem(Body, frozen=True):
    code: Annotated[Code, Meta(description="Unique within the schedule.")]
    description: ItemText
    unit: Unit
    rate_cents: Rate


@changes_of(NewRateItem)
class RateItemChanges(Body, frozen=True):
    pass


class ItemQuery(SortedPageQuery, frozen=True):
    code: Code | None = None
    q: Annotated[str | None, Meta(description="Words to be found in code or description.")] = None


CODE_TAKEN = "An item with this code exists already in this schedule."
CONSTRAINTS: Constraints = {"sor_items_code_unique": Taken(CODE_TAKEN)}

EXAMPLE = example_of(
    RateItem,
    id="soi_00064a1b2c3d4e5f60718293a4b5",
    schedule_id=schedules.EXAMPLE.id,
    code="PLB-010",
    description="Renew isolating valve, 15 mm",
    unit="each",
    rate_cents=4250,
    created=1767052800,
    updated=1767052800,
)
