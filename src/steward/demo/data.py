"""What stands in the demo organization: a small office building on a working day."""

import msgspec

from steward.asset_types import queries as asset_types
from steward.assets import actions as assets
from steward.assets.model import NewAsset
from steward.bookings import actions as bookings
from steward.bookings.model import NewBooking
from steward.bookings.resources import actions as resources
from steward.bookings.resources.model import NewBookableResource, ResourceType
from steward.decks import actions as decks
from steward.decks.model import NewDeck
from steward.demo.devices import simulate_day
from steward.forms import actions as forms
from steward.forms.model import NewForm
from steward.forms.submissions import actions as submissions
from steward.forms.submissions.model import NewSubmission
from steward.kit.db.pool import Database
from steward.kit.domain.fields import Priority
from steward.kit.domain.ids import AFTER_ALL
from steward.kit.domain.versions import UNCONDITIONAL
from steward.kit.runtime.tenant_cache import TenantCache
from steward.kit.security.caller import Caller
from steward.locations import actions as locations
from steward.locations.model import LocationType, NewLocation
from steward.sor_quotations import actions as quotations
from steward.sor_quotations.model import NewQuotation
from steward.sor_schedules import actions as schedules
from steward.sor_schedules.items import actions as schedule_items
from steward.sor_schedules.items.model import NewItem
from steward.sor_schedules.model import NewSchedule
from steward.visitors import actions as visitors
from steward.visitors.model import NewVisitor
from steward.work_orders import actions as work_orders
from steward.work_orders.model import NewWorkOrder, WorkOrder
from steward.work_orders.sla import queries as sla_queries

_HOUR = 3600
_DAY = 24 * _HOUR

# Title, description, priority, and on which floor.
_WORK_ORDERS = (
    ("Yearly check of the fire doors", "All doors of the ground floor.", Priority.MEDIUM, 0),
    ("Meeting room Elbe is too warm", "25 °C at ten in the morning.", Priority.MEDIUM, 1),
    ("Replace lamps in stairwell B", None, Priority.LOW, 1),
    (
        "Water under the sink in the kitchenette",
        "Second floor, east. A bucket is in place.",
        Priority.CRITICAL,
        2,
    ),
    ("Air handler 3 is noisy", "Grinding noise since this morning, plant room.", Priority.HIGH, 2),
)
_FLOORS = ("Ground floor", "First floor", "Second floor")
# Sensor type, name, floor.
_SENSORS = (
    ("Air quality sensor", "Air quality, meeting room Elbe", 1),
    ("Temperature and humidity sensor", "Climate, server room", 0),
    ("Water leakage sensor", "Leak sensor, kitchenette", 2),
    ("Door and window sensor", "Fire door, stairwell B", 1),
    ("Power socket", "Coffee machine", 2),
)
_RATES = (
    ("PLB-010", "Renew isolating valve, 15 mm", "each", 4250),
    ("PLB-020", "Clear blocked waste", "hour", 6800),
    ("ELE-010", "Replace lamp, stairwell", "each", 1850),
)


class DemoData:
    """Fills an organization, part by part; each capability adds its own."""

    def __init__(self, db: Database, who: Caller, now: int) -> None:
        self._db = db
        self._who = who
        self._now = now
        self._floors: list[str] = []

    async def fill(self) -> None:
        await self._locations()
        await self._sensors()
        orders = await self._work_orders()
        await self._bookings()
        await self._visitors()
        await self._forms_and_decks()
        await self._rates(orders[0])

    async def _locations(self) -> None:
        site = await self._location("Harbour House", LocationType.SITE, None)
        building = await self._location("Main building", LocationType.BUILDING, site)
        self._floors = [await self._location(name, LocationType.FLOOR, building) for name in _FLOORS]

    async def _location(self, name: str, kind: LocationType, parent: str | None) -> str:
        new = NewLocation(name=name, type=kind, parent_id=parent, timezone="Europe/Berlin")
        return (await locations.create(self._db, self._who, new, now=self._now)).id

    async def _sensors(self) -> None:
        rows = await asset_types.LISTING.rows(self._db, self._who.tenant, {}, AFTER_ALL, 100)
        types = {kind["name"]: kind["id"] for kind in (msgspec.json.decode(row[1]) for row in rows)}
        sensors = {}
        for number, (kind, name, floor) in enumerate(_SENSORS, start=1):
            new = NewAsset(
                name=name,
                asset_type_id=types[kind],
                location_id=self._floors[floor],
                external_id=f"70B3D57ED005{number:04X}",
                metadata={"manufacturer": "Example Sensors", "serialNumber": f"ES-{1000 + number}"},
            )
            sensors[kind] = (await assets.create(self._db, self._who, new, now=self._now)).id
        await simulate_day(self._db, self._who.tenant, sensors, self._now)

    async def _work_orders(self) -> list[WorkOrder]:
        policies = TenantCache(sla_queries.policy)
        made = []
        for title, description, priority, floor in _WORK_ORDERS:
            new = NewWorkOrder(
                title=title, description=description, priority=priority, location_id=self._floors[floor]
            )
            made.append(await work_orders.create(policies, self._db, self._who, new, now=self._now))
        await work_orders.move(
            policies, "start", self._db, self._who, made[-1].id, precondition=UNCONDITIONAL, now=self._now
        )
        return made

    async def _bookings(self) -> None:
        tomorrow = self._now - self._now % _DAY + _DAY
        for name, floor in (("Meeting room Elbe", 1), ("Meeting room Alster", 2)):
            new = NewBookableResource(
                name=name,
                type=ResourceType.ROOM,
                location_id=self._floors[floor],
                capacity=8,
                buffer_minutes=10,
            )
            room = await resources.create(self._db, self._who, new, now=self._now)
            for hour, title in ((9, "Weekly round"), (13, "Supplier visit")):
                start = tomorrow + hour * _HOUR
                booking = NewBooking(
                    resource_id=room.id, title=title, start_time=start, end_time=start + _HOUR
                )
                await bookings.create(self._db, self._who, booking, now=self._now)

    async def _visitors(self) -> None:
        here = NewVisitor(name="Grace Hopper", company="Compilers Ltd", location_id=self._floors[0])
        visitor = await visitors.register(self._db, self._who, here, now=self._now)
        await visitors.check_in(self._db, self._who, visitor.id, precondition=UNCONDITIONAL, now=self._now)
        later = NewVisitor(
            name="Alan Kay", expected_arrival=self._now + 2 * _HOUR, location_id=self._floors[0]
        )
        await visitors.register(self._db, self._who, later, now=self._now)

    async def _forms_and_decks(self) -> None:
        fields = [
            {"key": "exit", "label": "The exit is clear", "type": "passFail", "required": True},
            {"key": "remark", "label": "Anything else?", "type": "longText"},
        ]
        new = msgspec.convert({"name": "Fire exit round", "fields": fields}, NewForm)
        form = await forms.create(self._db, self._who, new, now=self._now)
        await forms.publish(self._db, self._who, form.id, precondition=UNCONDITIONAL, now=self._now)
        await submissions.create(
            self._db, self._who, form.id, NewSubmission(answers={"exit": "Pass"}), now=self._now
        )
        cards = [{"type": "workOrders", "title": "Open work", "layout": {"x": 0, "y": 0, "w": 6, "h": 4}}]
        await decks.create(
            self._db, self._who, msgspec.convert({"title": "Lobby", "cards": cards}, NewDeck), now=self._now
        )

    async def _rates(self, order: WorkOrder) -> None:
        new = NewSchedule(
            name="Building services", effective_from=self._now - _DAY, effective_to=self._now + 365 * _DAY
        )
        schedule = await schedules.create(self._db, self._who, new, now=self._now)
        made = [
            await schedule_items.create(
                self._db,
                self._who,
                schedule.id,
                NewItem(code=code, description=description, unit=unit, rate_cents=rate),
                now=self._now,
            )
            for code, description, unit, rate in _RATES
        ]
        await schedules.publish(self._db, self._who, schedule.id, precondition=UNCONDITIONAL, now=self._now)
        lines = [{"itemId": made[1].id, "quantity": 2.5}, {"itemId": made[0].id, "quantity": 1}]
        body = {"scheduleId": schedule.id, "workOrderId": order.id, "lineItems": lines}
        quotation = await quotations.create(
            self._db, self._who, msgspec.convert(body, NewQuotation), now=self._now
        )
        await quotations.submit(self._db, self._who, quotation.id, precondition=UNCONDITIONAL, now=self._now)
