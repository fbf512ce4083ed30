"""Forgets persons, wherever they are stored, in one transaction. Visits, their times and their number stay."""

from steward.kit.db.pool import Transaction
from steward.kit.security.caller import TenantId
from steward.visitors import queries
from steward.visitors.model import without_personal_data

# Longer than a request to a receiver may take, and the writing down of its answer.
_UNDER_WAY_SECONDS = 120


async def erase_locked(tx: Transaction, tenant: TenantId, visitor_ids: list[str], now: int) -> None:
    """Whoever calls this holds the visitors' rows: without their lock nobody can tell anything new of them.

    What is being sent right now is past stopping; what is answered to it is forgotten by `forget_late_answers`.
    """
    await queries.erase(tx, tenant, visitor_ids, now, late_answers_until=now + _UNDER_WAY_SECONDS)
    await _erase_what_was_told(tx, tenant, visitor_ids)


async def forget_late_answers(tx: Transaction, tenant: TenantId, visitor_ids: list[str]) -> None:
    """Of erased visitors, once nothing that was being sent when they were erased can still be under way."""
    told = await queries.events_about(tx, tenant, visitor_ids)
    if told:
        await queries.forget_responses(tx, tenant, list(told))
    await queries.nothing_late(tx, tenant, visitor_ids)


async def _erase_what_was_told(tx: Transaction, tenant: TenantId, visitor_ids: list[str]) -> None:
    """The stored events, whose bodies are otherwise frozen, and what receivers answered to them."""
    told = await queries.events_about(tx, tenant, visitor_ids)
    bodies = {id: without_personal_data(body) for id, body in told.items()}
    changed = {id: body for id, body in bodies.items() if body != told[id]}
    if changed:
        await queries.rewrite_events(tx, tenant, changed)
    if told:
        await queries.forget_responses(tx, tenant, list(told))
