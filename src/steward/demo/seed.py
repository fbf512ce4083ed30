import os
import secrets
from pathlib import Path

import msgspec

from steward.access.founding import Furnish, found_organization
from steward.kit.bus import Bus
from steward.kit.caller import Caller, TenantId
from steward.kit.db import Database, Pool
from steward.kit.permissions import EVERYTHING
from steward.kit.remembered import Remembered
from steward.organizations import queries as organizations
from steward.organizations.model import Plan
from steward.work_orders import actions as work_orders
from steward.work_orders import sla_queries
from steward.work_orders.model import NewWorkOrder, Priority

_FILE = "demo.json"
_EMAIL = "admin@example.com"

_WORK_ORDERS = (
    ("Air handler 3 is noisy", "Grinding noise since this morning, third floor plant room.", Priority.HIGH),
    (
        "Water under the sink in the kitchenette",
        "Second floor, east. A bucket is in place.",
        Priority.CRITICAL,
    ),
    ("Replace lamps in stairwell B", None, Priority.LOW),
    ("Meeting room 2.14 is too warm", "25 °C at ten in the morning.", Priority.MEDIUM),
    ("Yearly check of the fire doors", "All doors of the ground floor.", Priority.MEDIUM),
)


class Demo(msgspec.Struct, frozen=True):
    """What a newcomer needs. Kept in the data directory, since a key's secret is shown only once."""

    organization_id: str
    email: str
    password: str
    api_key: str


async def plant_demo(url: str, data_dir: Path, furnish: Furnish) -> Demo:
    """Makes the demo organization on the first start and finds it again on later ones."""
    file = data_dir / _FILE
    pool = Pool(url, 2)
    bus = Bus(url, pool)
    await bus.start()
    try:
        if file.exists():
            demo = msgspec.json.decode(file.read_bytes(), type=Demo)
            if await organizations.get(pool, TenantId(demo.organization_id)) is not None:
                return demo
        return await _plant(pool, bus, file, furnish)
    finally:
        await bus.stop()
        await pool.close()


async def _plant(db: Database, bus: Bus, file: Path, furnish: Furnish) -> Demo:
    password = secrets.token_urlsafe(12)
    founded = await found_organization(
        db,
        bus,
        name="Harbour House",
        plan=Plan.ENTERPRISE,
        email=_EMAIL,
        password=password,
        person="Ada Byron",
        furnish=furnish,
    )
    demo = Demo(founded.organization_id, _EMAIL, password, founded.secret)
    _write_private(file, msgspec.json.encode(demo))
    who = Caller(
        tenant=founded.organization_id, plan=Plan.ENTERPRISE, permissions=EVERYTHING, user=founded.user_id
    )
    policies = Remembered(sla_queries.policy)
    for title, description, priority in _WORK_ORDERS:
        await work_orders.create(
            policies, db, who, NewWorkOrder(title=title, description=description, priority=priority)
        )
    return demo


def _write_private(file: Path, content: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
