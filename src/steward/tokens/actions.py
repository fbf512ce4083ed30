"""Logging in. A client address with too many wrong passwords is refused before its password is looked at."""

import asyncio
from weakref import WeakValueDictionary

import msgspec

from steward.kit import clock
from steward.kit.caller import TenantId
from steward.kit.db import Database
from steward.kit.ids import new_id
from steward.kit.limiter import Limiter, Verdict
from steward.kit.metrics import AUTHENTICATION_FAILURES
from steward.kit.passwords import verify_password
from steward.kit.problems import Forbidden, Problem, TooManyRequests, Unauthenticated
from steward.organizations.model import PLAN_REQUIRED
from steward.settings import LegacyJwt
from steward.tokens import queries
from steward.tokens.model import (
    PASSWORD_FAILURES,
    REFRESH_SECONDS,
    REMOVED,
    Login,
    Refresh,
    Tokens,
    accepted,
    organization_of,
)
from steward.tokens.queries import Account, Membership
from steward.tokens.signing import Signer

_WRONG = "The account or the password is wrong."
_WRONG_REFRESH = "The refresh token is not valid; log in again."


class Turns:
    """A lock per client address, for as long as somebody holds or awaits it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, client: str) -> asyncio.Lock:
        lock = self._locks.get(client)
        if lock is None:
            lock = self._locks[client] = asyncio.Lock()
        return lock


class Desk(msgspec.Struct, frozen=True):
    """What logging in needs. `db` commits on its own: ending a stolen chain must outlive the refused request."""

    db: Database
    signer: Signer
    limiter: Limiter
    legacy_jwt: LegacyJwt
    turns: Turns


async def check_password(desk: Desk, client: str, email: str, password: str) -> Account:
    """The account behind a password, for tokens and for the web app's login alike."""
    # One at a time per address: guesses at once would all be looked at before the first one counts.
    async with desk.turns.of(client):
        if verdict := await desk.limiter.exhausted(PASSWORD_FAILURES, client):
            raise _too_many(verdict)
        account = await queries.find_account(desk.db, email)
        matches = await verify_password(account.password_hash if account else None, password)
        if account is None or not matches:
            raise await refusal(desk, client, _WRONG)
        return account


async def refusal(desk: Desk, client: str, message: str) -> Problem:
    AUTHENTICATION_FAILURES.labels("password").inc()
    verdict = await desk.limiter.take(PASSWORD_FAILURES, client)
    return Unauthenticated(message) if verdict.allowed else _too_many(verdict)


async def log_in(desk: Desk, db: Database, client: str, login: Login) -> Tokens:
    _require_accepted(desk)
    account = await check_password(desk, client, login.account, login.password)
    membership = _choose(await queries.memberships(desk.db, account.id), login.organization_id)
    return await _issue(desk, db, account.id, account.email, membership, chain_id=new_id("rtc"))


async def refresh(desk: Desk, db: Database, client: str, body: Refresh) -> Tokens:
    _require_accepted(desk)
    token = body.refresh_token
    tenant = TenantId(organization_of(token))
    async with db.transaction() as tx:
        stored = await queries.lock(tx, tenant, token)
        if stored is None or stored.expires <= clock.now():
            raise await refusal(desk, client, _WRONG_REFRESH)
        if not stored.used:
            await queries.use(tx, tenant, token)
            membership = _choose(await queries.memberships(tx, stored.user_id), tenant)
            email = await queries.email_of(tx, stored.user_id)
            return await _issue(desk, tx, stored.user_id, email, membership, chain_id=stored.chain_id)
    # Used before: either its holder or a thief comes second, and nobody can tell which.
    await queries.end_chain(desk.db, tenant, stored.chain_id)
    raise await refusal(desk, client, _WRONG_REFRESH)


async def _issue(
    desk: Desk, db: Database, user_id: str, email: str, membership: Membership, *, chain_id: str
) -> Tokens:
    now = clock.now()
    tokens = desk.signer.issue(user_id, membership.organization_id, email, now)
    tenant = TenantId(membership.organization_id)
    await queries.insert(
        db, tenant, tokens.refresh_token, chain_id=chain_id, user_id=user_id, expires=now + REFRESH_SECONDS
    )
    return tokens


def _choose(memberships: list[Membership], organization_id: str | None) -> Membership:
    """The organization to log in to: the one that was asked for, else the first that has an API."""
    if not memberships:
        raise Unauthenticated("This account is suspended.")
    if organization_id is not None:
        memberships = [m for m in memberships if m.organization_id == organization_id]
        if not memberships:
            raise Forbidden("You don't belong to this organization, or are suspended there.")
    for membership in memberships:
        if membership.plan.includes_api:
            return membership
    raise Forbidden(PLAN_REQUIRED)


def _require_accepted(desk: Desk) -> None:
    if not accepted(desk.legacy_jwt, clock.now()):
        raise Forbidden(REMOVED)


def _too_many(verdict: Verdict) -> TooManyRequests:
    return TooManyRequests(
        "5 logins from this address failed within 15 minutes.", retry_after=verdict.reset_seconds
    )
