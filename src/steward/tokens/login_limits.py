"""How often a password may be wrong. Whether somebody has to wait never tells whether an account exists.

Guesses are counted by client address and by e-mail address. Several accounts may bear one e-mail address: whoever has one of
them could try passwords on the others by setting their own first, since such a login succeeds. So it counts, too, as a guess
at every other account that it was tried on; and what one has logged in to before makes an address known for that account
alone.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Literal
from weakref import WeakValueDictionary

import msgspec

from steward.kit.domain.problems import Problem, TooManyRequests, Unauthenticated
from steward.kit.runtime.metrics import AUTHENTICATION_FAILURES
from steward.kit.security.client_address import address_key
from steward.kit.security.rate_limiter import Allowance, Limit, Limiter
from steward.tokens.model import (
    ACCOUNT_FAILURES,
    FORM_ADDRESS_FAILURES,
    FORM_FAILURES,
    KNOWN_ADDRESS,
    PASSWORD_FAILURES,
    SIDE_GUESSES,
)

LoginMethod = Literal["api", "form"]
Counter = tuple[Limit, str]


class LoginAttempt(msgspec.Struct, frozen=True):
    """Somebody at a client address tries a password on an e-mail address, of which a digest is enough."""

    door: LoginMethod
    address: str
    email: str

    @property
    def of_address(self) -> tuple[Counter, ...]:
        if self.door == "api":
            return ((PASSWORD_FAILURES, self.address),)
        return (FORM_FAILURES, f"{self.email} {self.address}"), (FORM_ADDRESS_FAILURES, self.address)

    def known(self, account_id: str) -> str:
        return f"{account_id} {self.address}"


def attempt(door: LoginMethod, client: str, email: str) -> LoginAttempt:
    digest = hashlib.blake2b(email.strip().lower().encode(), digest_size=16).hexdigest()
    return LoginAttempt(door, address_key(client), digest)


class LoginLimits:
    """Lets attempts through while few have failed."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        # A lock lives for as long as somebody holds or awaits it.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def judging(self, tried: LoginAttempt) -> AsyncIterator[None]:
        """One at a time, or many would be judged by the state before the first of them."""
        async with self._lock(tried.address):
            for limit, subject in tried.of_address:
                if verdict := await self._limiter.exhausted(limit, subject):
                    raise _too_many(limit, verdict)
            # Once strangers have used up an account's guesses, whoever is known doesn't stand in line behind them.
            if await self._limiter.exhausted(ACCOUNT_FAILURES, tried.email):
                yield
                return
            async with self._lock(tried.email):
                yield

    async def open_to(self, tried: LoginAttempt, accounts: Sequence[str]) -> set[str]:
        """The accounts that the password may be tried on."""
        # Both questions are asked also where there is no account, so that time doesn't tell.
        marked = await self._limiter.exhausted_of(KNOWN_ADDRESS, [tried.known(id) for id in accounts])
        guessed = await self._limiter.exhausted_of(SIDE_GUESSES, accounts)
        known = {id for id in accounts if tried.known(id) in marked}
        if verdict := await self._limiter.exhausted(ACCOUNT_FAILURES, tried.email):
            if not known:
                raise _too_many(ACCOUNT_FAILURES, verdict)
            return known
        return set(accounts) if len(accounts) == 1 else known | (set(accounts) - guessed)

    async def failed(self, tried: LoginAttempt, message: str) -> Problem:
        AUTHENTICATION_FAILURES.labels("password").inc()
        await self._limiter.take(ACCOUNT_FAILURES, tried.email)
        return await self._counted(tried.of_address, message)

    async def succeeded(self, tried: LoginAttempt, opened: Collection[str], others: Collection[str]) -> None:
        for account_id in opened:
            await self._limiter.exhaust(KNOWN_ADDRESS, tried.known(account_id))
        for account_id in others:
            await self._limiter.take(SIDE_GUESSES, account_id)

    async def failed_refresh(self, client: str, message: str) -> Problem:
        """No password, but a guess from an address all the same."""
        AUTHENTICATION_FAILURES.labels("password").inc()
        return await self._counted(((PASSWORD_FAILURES, address_key(client)),), message)

    async def _counted(self, counters: tuple[Counter, ...], message: str) -> Problem:
        for limit, subject in counters:
            verdict = await self._limiter.take(limit, subject)
            if not verdict.allowed:
                return _too_many(limit, verdict)
        return Unauthenticated(message)

    def _lock(self, name: str) -> asyncio.Lock:
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock


def _too_many(limit: Limit, verdict: Allowance) -> TooManyRequests:
    minutes = limit.seconds // 60
    return TooManyRequests(
        f"{limit.allowed} {limit.what} within {minutes} minutes.", retry_after=verdict.reset_seconds
    )
