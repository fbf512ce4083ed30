from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.idempotency import forget_answers
from steward.kit.db.pool import Transaction
from steward.kit.events.erasure import UNDER_WAY_SECONDS, erase_events, events_about
from steward.kit.events.event_types import Deleted, build_event, deletion
from steward.kit.events.publish import publish
from steward.kit.records.context import Target
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import require_held
from steward.users import queries as users
from steward.users.accounts import queries as accounts
from steward.users.accounts import rules as account_rules
from steward.users.erasure import queries, rules
from steward.users.events import ERASED
from steward.users.invitations.events import DELETED as INVITATION_DELETED
from steward.users.model import ErasedUser, User
from steward.users.rules import no_such_user

# Replaces a password where there is none.
_NO_PASSWORD = "!"  # noqa: S105 (nothing hashes to it)


async def erase(bus: Invalidator, ctx: Target) -> ErasedUser:
    """Erases a person everywhere in this organization. Erasing again changes nothing.

    The account is deleted with its last membership: what other organizations know of it stays with them.
    """
    async with ctx.transaction() as ctx:
        user = await users.lock(ctx.tx, ctx.tenant, ctx.id)
        events = await events_about(ctx.tx, ctx.tenant, [ctx.id])
        if user is None:
            if not events:
                raise no_such_user()
            if (before := rules.told_before(events.values())) is not None:
                return before
        else:
            ctx.precondition.require(user)
            held = await users.permissions_of_roles(ctx.tx, ctx.tenant, user.role_ids)
            require_held(ctx.who.permissions, held, "erase a user with")
            rules.check_erasable(user)
            if user.erased_at is not None:
                return ErasedUser(user.id, user.erased_at)
            await _erase_membership(ctx.tx, ctx.tenant, user, ctx.now)
        withdrawn = await _erase_traces(ctx.tx, ctx.tenant, ctx.id, user, events, ctx.now)
        erased = ErasedUser(ctx.id, ctx.now)
        published = [deletion(INVITATION_DELETED, each, tenant=ctx.tenant, now=ctx.now) for each in withdrawn]
        published.append(build_event(ERASED, erased, tenant=ctx.tenant, now=ctx.now))
        await publish(ctx.tx, ctx.tenant, published, ctx.now)
        await bus.invalidate(ctx.tx, ctx.tenant)
        return erased


async def _erase_membership(tx: Transaction, tenant: TenantId, user: User, now: int) -> None:
    """With an account that opens nothing in place of the person's own."""
    email = rules.address(user.id)
    found = await accounts.lock(tx, tenant, user.id)
    blank = account_rules.new_account(email, _NO_PASSWORD, own_password=False)
    await accounts.insert(tx, blank, now)
    await queries.erase(
        tx,
        tenant,
        user.id,
        name=rules.NAME,
        email=email,
        account_id=blank.id,
        now=now,
    )
    if found is not None:
        await accounts.delete_unused(tx, found.account.id)


async def _erase_traces(
    tx: Transaction, tenant: TenantId, user_id: str, user: User | None, events: dict[str, bytes], now: int
) -> list[Deleted]:
    """In events and the receivers' answers to them; in invitations; among the attendees of bookings; and in
    stored answers of idempotent requests. Returns the deleted invitations.
    """
    emails = rules.addresses(events.values()) | (set() if user is None else {user.email})
    events = {**events, **await queries.events_of_invitations(tx, tenant, emails)}
    await erase_events(tx, tenant, events, rules.blanks(user_id))
    await queries.forget_responses(tx, tenant, events)
    await queries.expect_late_answers(tx, tenant, user_id, now + UNDER_WAY_SECONDS)
    blank = rules.address(user_id)
    await queries.erase_attendee(tx, tenant, emails, name=rules.NAME, email=blank, now=now)
    await forget_answers(tx, tenant, [user_id], emails)
    return [Deleted(id) for id in await queries.withdraw_invitations(tx, tenant, emails)]


async def forget_late_answers(tx: Transaction, tenant: TenantId, user_ids: list[str]) -> None:
    """For erased users, once no delivery can still be in flight that was being sent at their erasure."""
    events = await events_about(tx, tenant, user_ids)
    events |= await queries.events_of_invitations(tx, tenant, map(rules.address, user_ids))
    await queries.forget_responses(tx, tenant, events)
    await queries.clear_late_answers(tx, tenant, user_ids)
