from steward.asset_types.actions import install_sensor_types
from steward.kit.db.pool import Transaction
from steward.kit.records.context import Context
from steward.kit.security.caller import TenantId


async def install_organization_defaults(tx: Transaction, tenant: TenantId, now: int) -> None:
    """What a new organization begins with, beside its first people."""
    await install_sensor_types(Context.of_tenant(tx, tenant, now))
