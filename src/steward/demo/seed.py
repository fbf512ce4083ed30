import os
import secrets
from pathlib import Path

import msgspec

from steward.access.organization_setup import InstallDefaults, create_organization
from steward.demo.data import DemoData
from steward.kit.db.pool import Database, Pool
from steward.kit.runtime import clock
from steward.kit.runtime.cache_invalidation import InvalidationBus
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.passwords import hash_password
from steward.kit.security.permissions import ALL_PERMISSIONS
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


async def seed_demo(url: str, data_dir: Path, install_defaults: InstallDefaults) -> Demo:
    """Makes the demo organization on the first start and finds it again on later ones."""
    file = data_dir / _FILE
    pool = Pool(url, 2, seconds=60)
    bus = InvalidationBus(url, pool)
    await bus.start()
    try:
        if file.exists():
            demo = msgspec.json.decode(file.read_bytes(), type=Demo)
            if await organizations.get(pool, TenantId(demo.organization_id)) is not None:
                return demo
        return await _seed(pool, bus, file, install_defaults)
    finally:
        await bus.stop()
        await pool.close()


async def _seed(db: Database, bus: InvalidationBus, file: Path, install_defaults: InstallDefaults) -> Demo:
    password = secrets.token_urlsafe(12)
    created = await create_organization(
        db,
        bus,
        name="Harbour House",
        plan=Plan.ENTERPRISE,
        email=_EMAIL,
        password_hash=await hash_password(password),
        person="Ada Byron",
        install_defaults=install_defaults,
        now=clock.now(),
    )
    demo = Demo(created.organization_id, _EMAIL, password, created.secret)
    _write_private(file, msgspec.json.encode(demo))
    who = Caller(
        tenant=created.organization_id,
        plan=Plan.ENTERPRISE,
        permissions=ALL_PERMISSIONS,
        user=created.user_id,
    )
    await DemoData(db, who, clock.now()).fill()
    return demo


def _write_private(file: Path, content: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
