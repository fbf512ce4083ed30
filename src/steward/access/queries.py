import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.permissions import ALL_PERMISSIONS, Permission
from steward.organizations.model import Plan

_STANDING = sql(
    """SELECT o.plan, m.status,
              ARRAY(SELECT DISTINCT permission
                    FROM membership_roles mr
                    JOIN roles r ON r.organization_id = mr.organization_id AND r.id = mr.role_id,
                    unnest(r.permissions) permission
                    WHERE mr.organization_id = $1 AND mr.user_id = $2),
              a.generation
       FROM organizations o
       LEFT JOIN memberships m ON m.organization_id = o.id AND m.organization_id = $1 AND m.user_id = $2
       LEFT JOIN accounts a ON a.id = m.account_id
       WHERE o.id = $1"""
)


class Standing(msgspec.Struct, frozen=True):
    """What a user may do in an organization right now."""

    plan: Plan
    active: bool
    permissions: frozenset[Permission]
    # Of the account; tokens and sessions of an earlier one are over.
    generation: int


async def standing(db: Database, organization_id: str, user_id: str) -> Standing | None:
    row = await db.fetchrow(_STANDING, organization_id, user_id)
    if row is None:
        return None
    plan, status, permissions, generation = row
    # A permission that a later version took out of the vocabulary opens nothing.
    known = frozenset(Permission(p) for p in permissions if p in ALL_PERMISSIONS)
    active = status == "Active"
    return Standing(Plan(plan), active, known if active else frozenset(), generation or 0)
