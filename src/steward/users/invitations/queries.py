from steward.kit.db.listing import Listing, json_columns
from steward.kit.db.query import Database, expiry, query, sql
from steward.kit.security.caller import TenantId
from steward.users.invitations.model import Invitation, Offer

_ROLE_IDS = """ARRAY(SELECT ir.role_id FROM invitation_roles ir
                     WHERE ir.organization_id = $1 AND ir.invitation_id = i.id ORDER BY ir.role_id)"""
_COLUMNS = json_columns(Invitation, "i.", role_ids=_ROLE_IDS)
_SELECT = f"SELECT {', '.join(_COLUMNS.values())}"

LISTING = Listing("invitations i", _COLUMNS, tenant_column="i.organization_id")

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


@query(f"{_SELECT} FROM invitations i WHERE i.organization_id = $1 AND i.id = $2")
async def get(db: Database, tenant: TenantId, invitation_id: str) -> Invitation | None: ...


@query(f"{_SELECT} FROM invitations i WHERE i.organization_id = $1 AND lower(i.email) = lower($2)")
async def find_by_email(db: Database, tenant: TenantId, email: str) -> Invitation | None: ...


async def find_offer(db: Database, tenant: TenantId, token_hash: bytes, now: int) -> Offer | None:
    row = await db.fetchrow(_FIND_OFFER, tenant, token_hash, now)
    return None if row is None else Offer(Invitation(*row[:7]), row[7], row[8])


async def insert(db: Database, tenant: TenantId, invitation: Invitation, token_hash: bytes) -> None:
    person = (invitation.id, invitation.email, invitation.name)
    made = (invitation.invited_by, invitation.created, invitation.expires_at)
    await db.execute(_INSERT, tenant, *person, token_hash, *made)
    await db.execute(_ADD_ROLES, tenant, invitation.id, invitation.role_ids)


@query("DELETE FROM invitations WHERE organization_id = $1 AND id = $2")
async def delete(db: Database, tenant: TenantId, invitation_id: str) -> None: ...


@query("SELECT name FROM organizations WHERE id = $1")
async def organization_name(db: Database, tenant: TenantId) -> str: ...


delete_expired = expiry("invitations", "expires_at")
