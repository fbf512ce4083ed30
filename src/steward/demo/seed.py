"""Makes the demo organization, as a whole or not at all."""

import secrets
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from steward.access.model import CreatedOrganization
from steward.access.organization_setup import InstallDefaults, create_organization
from steward.demo import queries
from steward.demo.alert_history import DAYS
from steward.demo.data import FOUNDED_DAYS_AGO, DemoData
from steward.demo.integrations import add_integrations, add_people
from steward.demo.past import DAY
from steward.demo.people import ADMINISTRATOR
from steward.kit.coordination.cache_invalidation import InvalidationBus
from steward.kit.db.connection import PATIENT_SECONDS, connect
from steward.kit.db.partitions import make_partition, partition_start, partition_starts
from steward.kit.db.pool import Pool, Transaction
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.encryption import Encryption
from steward.kit.security.passwords import hash_password
from steward.kit.security.permissions import ALL_PERMISSIONS
from steward.organizations import queries as organizations
from steward.organizations.model import Plan

_FILE = "demo.json"
_HISTORY = "telemetry_hours"
_WEEK = 7 * DAY


class Demo(msgspec.Struct, frozen=True):
    """What a newcomer needs. Kept in the data directory, since a key's secret is shown only once."""

    organization_id: str
    email: str
    password: str
    api_key: str


def demo_caller(organization_id: str) -> Caller:
    """The one who plays the devices and people of the demo: nobody in particular, and allowed everything."""
    return Caller(tenant=TenantId(organization_id), plan=Plan.ENTERPRISE, permissions=ALL_PERMISSIONS)


async def seed_demo(
    url: str,
    secret_keys: Sequence[bytes],
    data_dir: Path,
    install_defaults: InstallDefaults,
    *,
    now: int | None = None,
) -> Demo:
    """Makes the demo organization on the first start and finds it again on later ones."""
    file = data_dir / _FILE
    pool = Pool(url, 2, seconds=60, connect_seconds=PATIENT_SECONDS)
    bus = InvalidationBus(url, pool)
    await bus.start()
    try:
        if file.exists():
            demo = msgspec.json.decode(file.read_bytes(), type=Demo)
            if await organizations.get(pool, TenantId(demo.organization_id)) is not None:
                return demo
        now = clock.now() if now is None else now
        await _make_partitions(url, now)
        encryption, password = Encryption(*secret_keys), secrets.token_urlsafe(12)
        password_hash = await hash_password(password)
        async with pool.transaction() as tx:
            created = await _seed(tx, bus, install_defaults, encryption, password_hash, now)
            demo = Demo(created.organization_id, ADMINISTRATOR.email, password, created.secret)
            # Before the commit: a file that names an organization which was never made counts for nothing.
            file.touch(mode=0o600)
            file.write_bytes(msgspec.json.encode(demo))
        return demo
    finally:
        await bus.stop()
        await pool.close()


async def _seed(
    tx: Transaction,
    bus: InvalidationBus,
    install_defaults: InstallDefaults,
    encryption: Encryption,
    password_hash: str,
    now: int,
) -> CreatedOrganization:
    founded = now - FOUNDED_DAYS_AGO * DAY
    created = await create_organization(
        tx,
        bus,
        name="Harbour Campus",
        plan=Plan.ENTERPRISE,
        email=ADMINISTRATOR.email,
        password_hash=password_hash,
        person=ADMINISTRATOR.name,
        install_defaults=install_defaults,
        now=founded,
    )
    who = replace(demo_caller(created.organization_id), user=created.user_id)
    await add_people(tx, who, password_hash, founded)
    await add_integrations(tx, who, encryption, now)
    users = await queries.users(tx, who.tenant)
    await DemoData(tx, who, users, now).fill()
    return created


async def _make_partitions(url: str, now: int) -> None:
    """Those of the weeks that the sensors' past lies in; the worker makes only those to come."""
    async with await connect(url, seconds=60, timeout=PATIENT_SECONDS) as connection:
        there = await partition_starts(connection, _HISTORY)
        first = partition_start(_HISTORY, now - DAYS * DAY)
        for start in range(first, now + 1, _WEEK):
            if start not in there:
                await make_partition(connection, _HISTORY, start)
