"""Fills the demo organization: what the pure modules beside this one have thought up is written, a few statements a kind."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from steward.asset_types.model import NewAssetType
from steward.asset_types.queries import ASSET_TYPES
from steward.asset_types.rules import new_asset_type
from steward.assets.model import Asset, NewAsset
from steward.assets.rules import new_asset
from steward.bookings import actions as bookings
from steward.bookings.model import Attendee
from steward.bookings.queries import BOOKINGS
from steward.bookings.resources.queries import RESOURCES
from steward.bookings.resources.rules import new_resource
from steward.decks.queries import DECKS
from steward.decks.rules import new_deck
from steward.demo import agenda, orders, queries
from steward.demo.campus import (
    ADDRESS,
    EQUIPMENT,
    LATITUDE,
    LONGITUDE,
    PLACES,
    REPLACED,
    SENSORS,
    TIMEZONE,
    Equipment,
    Sensor,
)
from steward.demo.dashboards import decks
from steward.demo.fixed_rows import TEXTS
from steward.demo.inspections import inspections
from steward.demo.integrations import add_calendar_and_command
from steward.demo.order_history import order_history
from steward.demo.past import DAY, dated, drawn, ids, local_date
from steward.demo.people import MANAGER, RECEPTIONIST, REQUESTER, STAFF, TECHNICIANS
from steward.demo.rates import rates
from steward.demo.sensor_past import SensorsPast
from steward.forms.queries import FORMS, insert_version
from steward.forms.submissions.queries import SUBMISSIONS
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Transaction
from steward.kit.db.table import Table
from steward.kit.domain.archiving import archived
from steward.kit.domain.fields import Priority
from steward.kit.domain.shared_fields import made_from
from steward.kit.records import many_records
from steward.kit.records.context import Context
from steward.kit.security.caller import Caller
from steward.locations.model import Location, LocationType, NewLocation
from steward.locations.queries import LOCATIONS
from steward.locations.rules import new_location
from steward.sor_quotations.queries import QUOTATIONS
from steward.sor_schedules.items.queries import ITEMS
from steward.sor_schedules.queries import SCHEDULES
from steward.visitors.queries import VISITORS
from steward.work_orders import actions as work_orders
from steward.work_orders.comments.queries import COMMENTS
from steward.work_orders.model import NewWorkOrder, WorkOrder
from steward.work_orders.queries import WORK_ORDERS
from steward.work_orders.sla import queries as sla_queries
from steward.work_orders.sla.rules import new_policy

R = TypeVar("R", bound=msgspec.Struct)

# The organization is older than its oldest work order.
FOUNDED_DAYS_AGO = 400


class DemoData:
    """`users` are those of the organization by their e-mail address."""

    def __init__(self, tx: Transaction, who: Caller, users: dict[str, str], now: int) -> None:
        self._tx, self._who, self._users, self._now = tx, who, users, now
        self._ctx = Context(tx, who, now * 1000)
        self._founded = now - FOUNDED_DAYS_AGO * DAY
        self._id_at = ids(drawn("identifiers"))
        self._places: dict[str, Location] = {}
        self._equipment: list[tuple[str, Asset]] = []
        self._sensors: dict[int, Asset] = {}
        staff = [users[person.email] for person in (REQUESTER, RECEPTIONIST, *STAFF)]
        self._crew = orders.Crew(
            users[MANAGER.email],
            [users[person.email] for person in TECHNICIANS],
            [*staff, users[MANAGER.email]],
        )

    async def fill(self) -> None:
        await self._locations()
        await self._assets()
        made = await self._work_orders()
        await self._agenda()
        await self._rates(made)
        await self._forms_and_decks()
        await self._live_order()

    async def _create(self, table: Table[R], made: Iterable[R]) -> None:
        await many_records.create(self._ctx, table, made)

    def _dated(self, record: R, prefix: str) -> R:
        """As old as the organization."""
        return dated(record, prefix, self._id_at, self._founded)

    async def _locations(self) -> None:
        for place in PLACES:
            top = place.type in {LocationType.SITE, LocationType.BUILDING}
            new = made_from(
                NewLocation,
                place,
                parent_id=self._places[place.parent].id if place.parent else None,
                timezone=TIMEZONE,
                address=ADDRESS if top else None,
                latitude=LATITUDE if top else None,
                longitude=LONGITUDE if top else None,
            )
            self._places[place.code] = self._dated(new_location(new, self._founded), "loc")
        await self._create(LOCATIONS, self._places.values())

    async def _assets(self) -> None:
        kinds = [
            new_asset_type(NewAssetType(name=name, description=text), self._founded)
            for name, text in TEXTS.equipment_kinds.items()
        ]
        await self._create(ASSET_TYPES, kinds)
        types = await queries.asset_types(self._tx, self._who.tenant)
        self._equipment = [
            (thing.kind, self._thing(thing, number, types)) for number, thing in enumerate(EQUIPMENT, start=1)
        ]
        for sensor in SENSORS:
            metadata = {"manufacturer": "Example Sensors", "serialNumber": f"ES-{1000 + sensor.number}"}
            self._sensors[sensor.number] = self._asset(sensor, types, sensor.external_id, metadata)
        past = SensorsPast(self._sensors, types, self._who.tenant, self._crew.technicians[1:], self._id_at)
        self._alerts = past
        sensors = past.remember(self._founded, self._now)
        replaced = archived(self._thing(REPLACED, 0, types), self._founded)
        await past.store(self._tx, [*(asset for _, asset in self._equipment), replaced, *sensors])

    def _thing(self, thing: Equipment, number: int, types: Mapping[str, str]) -> Asset:
        serial = {"serialNumber": f"{thing.manufacturer[:2].upper()}-{20_000 + 37 * number}"}
        metadata = {"manufacturer": thing.manufacturer, "model": thing.model, **serial}
        return self._asset(thing, types, f"HC-EQ-{number:03}", metadata)

    def _asset(
        self, one: Sensor | Equipment, types: Mapping[str, str], external_id: str, metadata: dict[str, str]
    ) -> Asset:
        new = NewAsset(
            name=one.name,
            asset_type_id=types[one.kind],
            location_id=self._places[one.place].id,
            external_id=external_id,
            metadata=metadata,
        )
        return self._dated(new_asset(new, self._who.tenant, self._founded), "ast")

    async def _work_orders(self) -> Sequence[WorkOrder]:
        sla = new_policy(orders.policy(self._now), self._now)
        await sla_queries.put(self._tx, self._who.tenant, replace(sla, updated=self._founded))
        rooms = [place for place in self._places.values() if place.type is LocationType.SPACE]
        plan = orders.OrderPlan(sla, self._crew, rooms, self._equipment, self._now)
        planned = [*plan.reported(), *plan.planned(), *plan.current()]
        planned += [plan.of_alert(*wanted) for wanted in self._alerts.wanted_orders()]
        history = order_history(sla, planned, tenant=self._who.tenant, id_at=self._id_at, now=self._now)
        await self._create(WORK_ORDERS, history.orders)
        await self._create(COMMENTS, history.comments)
        await queries.count_orders(self._tx, self._who.tenant, len(history.orders))
        await queries.insert_events(self._tx, self._who.tenant, history.events)
        await self._alerts.store_alerts(self._tx, history.by_alert, self._now)
        return history.orders

    async def _agenda(self) -> None:
        made = []
        for code, new in agenda.resources():
            placed = replace(new, location_id=self._places[code].id)
            made.append(self._dated(new_resource(placed, self._founded), "rsc"))
        await self._create(RESOURCES, made)
        staff = [self._users[person.email] for person in (REQUESTER, *STAFF)]
        await self._create(BOOKINGS, agenda.booking_history(made, staff, self._id_at, self._now))
        coming = [Attendee(email=person.email, name=person.name) for person in (MANAGER, *TECHNICIANS)]
        repeated = agenda.operations_round(made, coming, self._crew.manager, local_date(self._now))
        await bookings.create(self._ctx, repeated)
        houses = [self._places[code].id for code in ("HC-M", "HC-L", "HC-V")]
        await self._create(VISITORS, agenda.visitor_history(staff, houses, self._id_at, self._now))
        await add_calendar_and_command(self._ctx, made[0].id, self._sensors[SENSORS[0].number].id)
        last = local_date(self._now).toordinal() + agenda.BOOKED_DAYS_AHEAD
        await queries.set_planned_until(self._tx, self._who.tenant, last)

    async def _rates(self, made: Sequence[WorkOrder]) -> None:
        administrator, manager = self._who.user or "", self._crew.manager
        found = rates(made, administrator, manager, id_at=self._id_at, now=self._now)
        await self._create(SCHEDULES, found.schedules)
        await self._create(ITEMS, found.items)
        await self._create(QUOTATIONS, found.quotations)

    async def _forms_and_decks(self) -> None:
        people = [*self._crew.technicians, self._users[RECEPTIONIST.email]]
        floors = [place.id for place in self._places.values() if place.type is LocationType.FLOOR]
        found = inspections(people, floors, self._crew.manager, id_at=self._id_at, now=self._now)
        await self._create(FORMS, found.forms)
        for version in found.versions:
            await insert_version(self._tx, self._who.tenant, version)
        await self._create(SUBMISSIONS, found.submissions)
        assets = {asset.name: asset.id for asset in self._sensors.values()}
        codes = {code: place.id for code, place in self._places.items()}
        made = (new_deck(new, self._founded) for new in decks(assets, codes))
        await self._create(DECKS, [self._dated(deck, "dck") for deck in made])

    async def _live_order(self) -> None:
        """The newest order comes about as every later one does, with its events and what follows from them."""
        policies = TenantCache(sla_queries.policy)
        asset = next(asset for _, asset in self._equipment if asset.name == "Air handler 3")
        new = NewWorkOrder(
            title="Air handler 3 is noisy",
            description="Grinding noise since this morning, third floor.",
            priority=Priority.HIGH,
            location_id=asset.location_id,
            asset_id=asset.id,
            assignee_id=self._crew.technicians[0],
        )
        order = await work_orders.create(policies, self._ctx, new)
        await work_orders.move(policies, "start", self._ctx.on(order.id))
