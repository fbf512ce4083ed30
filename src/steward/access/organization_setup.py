"""Creates an organization: built-in roles, a first administrator, and a key."""

from collections.abc import Awaitable, Callable

from steward.access.model import CreatedOrganization
from steward.api_keys import queries as api_keys
from steward.api_keys.model import NewApiKey
from steward.api_keys.rules import new_api_key
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database, Transaction
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.kit.security.caller import TenantId
from steward.organizations import queries as organizations
from steward.organizations.model import Plan
from steward.organizations.rules import new_organization
from steward.roles import queries as roles
from steward.roles.model import ADMINISTRATOR
from steward.roles.rules import built_in_roles
from steward.users import queries as users
from steward.users.accounts import queries as accounts
from steward.users.accounts.rules import new_account
from steward.users.rules import new_user

# What later slices add to a new organization.
InstallDefaults = Callable[[Transaction, TenantId, int], Awaitable[None]]


async def create_organization(
    db: Database,
    bus: Invalidator,
    *,
    name: str,
    plan: Plan,
    email: str,
    password_hash: str,
    person: str | None = None,
    install_defaults: InstallDefaults | None = None,
    now: int,
) -> CreatedOrganization:
    """The administrator gets a new account, even if other accounts have the same e-mail address."""
    organization = new_organization(name, plan, now)
    tenant = TenantId(organization.id)
    built_in = {role.name: role for role in built_in_roles(now)}
    account = new_account(email, password_hash, own_password=False)
    user = new_user(email=email, name=person or email, role_ids=[built_in[ADMINISTRATOR].id], now=now)
    key, digest = new_api_key(NewApiKey(name="First key"), user.id, now)
    async with db.transaction() as tx:
        await organizations.insert(tx, organization)
        for role in built_in.values():
            await records.create(Context.of_tenant(tx, tenant, now), roles.ROLES, role)
        await accounts.insert(tx, account, now)
        await users.insert(tx, tenant, user, account.id, made_account=True)
        await api_keys.insert(tx, tenant, key, digest)
        await bus.invalidate(tx, tenant, new_key=digest.hex())
        if install_defaults is not None:
            await install_defaults(tx, tenant, now)
    return CreatedOrganization(tenant, user.id, key.key_id, key.secret)
