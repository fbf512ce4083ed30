import os
import secrets
from pathlib import Path

import msgspec

from steward.access.founding import Furnish, found_organization
from steward.demo.house import House
from steward.kit import clock
from steward.kit.bus import Bus
from steward.kit.caller import Caller, TenantId
from steward.kit.db import Database, Pool
from steward.kit.passwords import hash_password
from steward.kit.permissions import EVERYTHING
from steward.organizations import queries as organizations
from steward.organizations.model import Plan

_FILE = "demo.json"
_EMAIL = "admin@example.com"


class Demo(msgspec.Struct, frozen=True):
    """What a newcomer needs. Kept in the data directory, since a key's secret is shown only once."""

    organization_id: str
    email: str
    password: str
    api_key: str


async def plant_demo(url: str, data_dir: Path, furnish: Furnish) -> Demo:
    """Makes the demo organization on the first start and finds it again on later ones."""
    file = data_dir / _FILE
    pool = Pool(url, 2, seconds=60)
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
        password_hash=await hash_password(password),
        person="Ada Byron",
        furnish=furnish,
    )
    demo = Demo(founded.organization_id, _EMAIL, password, founded.secret)
    _write_private(file, msgspec.json.encode(demo))
    who = Caller(
        tenant=founded.organization_id, plan=Plan.ENTERPRISE, permissions=EVERYTHING, user=founded.user_id
    )
    await House(db, who, clock.now()).fill()
    return demo


def _write_private(file: Path, content: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
