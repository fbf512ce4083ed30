"""Limits on wrong passwords. Whether a caller has to wait never reveals whether an account exists.

Attempts are counted by client address and by e-mail address. Several accounts may have one e-mail address:
the holder of one could try passwords on the others by setting their own first, since such a login succeeds.
So it also counts as an attempt at every other account that it was tried on; and a successful login makes an
address known for its own account only.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Literal

import msgspec

from steward.kit.coordination.rate_limiter import Allowance, Limit, Limiter, refusal
from steward.kit.domain.problems import Problem, TooManyRequests, Unauthenticated
from steward.kit.runtime.keyed_locks import KeyedLocks
from steward.kit.runtime.metrics import REFUSED_PASSWORDS
from steward.kit.security.client_address import address_key
from steward.tokens.model import (
    ACCOUNT_FAILURES,
    FORM_ADDRESS_FAILURES,
    FORM_FAILURES,
    KNOWN_ADDRESS,
    PASSWORD_FAILURES,
    SIDE_GUESSES,
)
from steward.users.password_resets.rules import email_key

LoginMethod = Literal["api", "form"]
Counter = tuple[Limit, str]


class LoginAttempt(msgspec.Struct, frozen=True):
    """An attempt from a client address at an e-mail address, of which a digest is enough."""

    method: LoginMethod
    address: str
    email: str

    @property
    def counters(self) -> tuple[Counter, ...]:
        """The counters of a failure from this client address."""
        if self.method == "api":
            return ((PASSWORD_FAILURES, self.address),)
        return (FORM_FAILURES, f"{self.email} {self.address}"), (FORM_ADDRESS_FAILURES, self.address)

    def known_address(self, account_id: str) -> str:
        return f"{account_id} {self.address}"


def login_attempt(method: LoginMethod, client: str, email: str) -> LoginAttempt:
    return LoginAttempt(method, address_key(client), email_key(email))


class LoginLimits:
    """Admits attempts while few have failed."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._locks = KeyedLocks()

    @asynccontextmanager
    async def admit(self, attempt: LoginAttempt) -> AsyncIterator[None]:
        """429 if too many have failed. One at a time: concurrent ones would be judged by the same state."""
        async with self._locks.lock(attempt.address):
            for limit, subject in attempt.counters:
                if allowance := await self._limiter.exhausted(limit, subject):
                    raise _too_many(limit, allowance)
            # Once strangers have used up an account's attempts, known addresses are counted separately.
            if await self._limiter.exhausted(ACCOUNT_FAILURES, attempt.email):
                yield
                return
            async with self._locks.lock(attempt.email):
                yield

    async def allowed_accounts(self, attempt: LoginAttempt, accounts: Sequence[str]) -> set[str]:
        """The accounts that the password may be tried on."""
        # Both checks run also without an account, so that time reveals nothing.
        marked = await self._limiter.exhausted_of(
            KNOWN_ADDRESS, [attempt.known_address(id) for id in accounts]
        )
        guessed = await self._limiter.exhausted_of(SIDE_GUESSES, accounts)
        known = {id for id in accounts if attempt.known_address(id) in marked}
        if allowance := await self._limiter.exhausted(ACCOUNT_FAILURES, attempt.email):
            if not known:
                raise _too_many(ACCOUNT_FAILURES, allowance)
            return known
        return set(accounts) if len(accounts) == 1 else known | (set(accounts) - guessed)

    async def count_failure(self, attempt: LoginAttempt, message: str) -> Problem:
        """The refusal of the attempt."""
        REFUSED_PASSWORDS.inc()
        await self._limiter.take(ACCOUNT_FAILURES, attempt.email)
        return await self._count(attempt.counters, message)

    async def count_success(
        self, attempt: LoginAttempt, opened: Collection[str], others: Collection[str]
    ) -> None:
        """`others` are the accounts that the password was tried on as well."""
        for account_id in opened:
            await self._limiter.exhaust(KNOWN_ADDRESS, attempt.known_address(account_id))
        for account_id in others:
            await self._limiter.take(SIDE_GUESSES, account_id)

    async def count_failed_refresh(self, client: str, message: str) -> Problem:
        """An attempt without a password, which still counts for its address."""
        REFUSED_PASSWORDS.inc()
        return await self._count(((PASSWORD_FAILURES, address_key(client)),), message)

    async def _count(self, counters: tuple[Counter, ...], message: str) -> Problem:
        for limit, subject in counters:
            allowance = await self._limiter.take(limit, subject)
            if not allowance.allowed:
                return _too_many(limit, allowance)
        return Unauthenticated(message)


def _too_many(limit: Limit, allowance: Allowance) -> TooManyRequests:
    words = f"{limit.allowed} {limit.what} within {limit.seconds // 60} minutes."
    return refusal(limit, allowance, words)
