"""Web sessions: a cookie for a person in an organization. They work on every plan."""

from steward.access import queries
from steward.access.credential_cache import CredentialCache
from steward.access.model import FRESH_SECONDS, SESSION_SECONDS, CurrentUser, StoredSession
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database
from steward.kit.security import link_token
from steward.kit.security.caller import Caller, TenantId


async def begin(
    db: Database, organization_id: str, user_id: str, generation: int, *, now: int, expires: int | None = None
) -> str:
    """Returns the cookie's value; only its hash is stored.

    The generation is that of the password check. The check was just now; a session that continues an earlier
    one `expires` with it.
    """
    cookie = link_token.new(organization_id)
    session = StoredSession(user_id, now + SESSION_SECONDS if expires is None else expires, generation)
    await queries.insert_session(db, *_tenant_and_hash(cookie), session)
    return cookie


async def find_viewer(
    db: Database, credentials: CredentialCache, cookie: str, *, now: int
) -> tuple[Caller, CurrentUser] | None:
    """The person of a cookie; None if it has expired, the person is suspended or the password has changed."""
    tenant, token_hash = _tenant_and_hash(cookie)
    found = await queries.find_viewer(db, tenant, token_hash, now)
    if found is None:
        return None
    session, user = found
    credential = await credentials.find_user(tenant, session.user_id)
    if credential is None or not credential.usable or credential.generation != session.generation:
        return None
    return credential.caller, user


def holder(cookie: str) -> bytes:
    """The session's public identifier, which doesn't reveal its cookie."""
    return _tenant_and_hash(cookie)[1]


async def switch_organization(
    bus: Invalidator, db: Database, cookie: str, organization_id: str, user_id: str, *, now: int
) -> str | None:
    """A session in another organization of the same account, with the same generation."""
    session = await queries.find_session(db, *_tenant_and_hash(cookie), now)
    if session is None:
        return None
    await end(bus, db, cookie)
    return await begin(db, organization_id, user_id, session.generation, now=now, expires=session.expires)


async def is_fresh(db: Database, cookie: str, *, now: int) -> bool:
    """Whether the password was entered within the last minutes, so that the account's holder is present."""
    session = await queries.find_session(db, *_tenant_and_hash(cookie), now)
    return session is not None and session.entered_at > now - FRESH_SECONDS


async def expiry(db: Database, cookie: str, *, now: int) -> int | None:
    session = await queries.find_session(db, *_tenant_and_hash(cookie), now)
    return None if session is None else session.expires


async def end(bus: Invalidator, db: Database, cookie: str) -> None:
    """Open pages of this session get no more updates, from any process."""
    tenant, token_hash = _tenant_and_hash(cookie)
    async with db.transaction() as tx:
        if await queries.delete_session(tx, tenant, token_hash):
            await bus.invalidate(tx, tenant, access_only=True)


def _tenant_and_hash(cookie: str) -> tuple[TenantId, bytes]:
    return TenantId(link_token.owner(cookie)), link_token.digest(cookie)
