from steward.kit.db.listing import Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId
from steward.users.invitations.model import Invitation, Offer

_ROLE_IDS = """ARRAY(SELECT ir.role_id FROM invitation_roles ir
                     WHERE ir.organization_id = $1 AND ir.invitation_id = i.id ORDER BY ir.role_id)"""
_COLUMNS = json_columns(
    Invitation,
    id="i.id",
    email="i.email",
    name="i.name",
    role_ids=_ROLE_IDS,
    invited_by="i.invited_by",
    created="i.created",
    expires_at="i.expires_at",
)
_SELECT = f"SELECT {', '.join(_COLUMNS.values())}"

LISTING = Listing("invitations i", _COLUMNS, tenant_column="i.organization_id")

_GET = sql(f"{_SELECT} FROM invitations i WHERE i.organization_id = $1 AND i.id = $2")
_FIND_BY_EMAIL = sql(
    f"{_SELECT} FROM invitations i WHERE i.organization_id = $1 AND lower(i.email) = lower($2)"
)
_FIND_OFFER = sql(
    f"""{_SELECT}, o.id, o.name FROM invitations i JOIN organizations o ON o.id = i.organization_id
        WHERE i.organization_id = $1 AND i.token_hash = $2 AND i.expires_at > $3"""
)
_INSERT = sql(
    """INSERT INTO invitations (organization_id, id, email, name, token_hash, invited_by, created, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"""
)
_ADD_ROLES = sql(
    """INSERT INTO invitation_roles (organization_id, invitation_id, role_id)
       SELECT $1, $2, role_id FROM unnest($3::text[]) role_id"""
)
_DELETE = sql("DELETE FROM invitations WHERE organization_id = $1 AND id = $2")
_ORGANIZATION_NAME = sql("SELECT name FROM organizations WHERE id = $1")
_DELETE_EXPIRED = sql(
    "DELETE FROM invitations WHERE expires_at < $1",
    across="housekeeping takes every tenant's expired invitations",
)


async def get(db: Database, tenant: TenantId, invitation_id: str) -> Invitation | None:
    row = await db.fetchrow(_GET, tenant, invitation_id)
    return None if row is None else Invitation(*row)


async def find_by_email(db: Database, tenant: TenantId, email: str) -> Invitation | None:
    row = await db.fetchrow(_FIND_BY_EMAIL, tenant, email)
    return None if row is None else Invitation(*row)


async def find_offer(db: Database, tenant: TenantId, token_hash: bytes, now: int) -> Offer | None:
    row = await db.fetchrow(_FIND_OFFER, tenant, token_hash, now)
    return None if row is None else Offer(Invitation(*row[:7]), row[7], row[8])


async def insert(db: Database, tenant: TenantId, invitation: Invitation, token_hash: bytes) -> None:
    await db.execute(
        _INSERT,
        tenant,
        invitation.id,
        invitation.email,
        invitation.name,
        token_hash,
        invitation.invited_by,
        invitation.created,
        invitation.expires_at,
    )
    await db.execute(_ADD_ROLES, tenant, invitation.id, invitation.role_ids)


async def delete(db: Database, tenant: TenantId, invitation_id: str) -> None:
    await db.execute(_DELETE, tenant, invitation_id)


async def organization_name(db: Database, tenant: TenantId) -> str:
    return str(await db.fetchval(_ORGANIZATION_NAME, tenant))


async def delete_expired(db: Database, now: int) -> None:
    await db.execute(_DELETE_EXPIRED, now)
