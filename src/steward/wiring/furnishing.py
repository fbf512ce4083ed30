from steward.asset_types.actions import install_sensor_types
from steward.kit.caller import TenantId
from steward.kit.db import Transaction


async def furnish_organization(tx: Transaction, tenant: TenantId) -> None:
    """What a new organization begins with, beside its first people."""
    await install_sensor_types(tx, tenant)
