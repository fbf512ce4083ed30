"""Calls to the service, each counted with how it ended."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import msgspec

# Far beyond every deadline of the service: a request without an answer for so long is lost.
ANSWER_SECONDS = 25
_PAUSE = 0.3
# Temporary answers, after which a writer tries again.
_FOR_NOW = frozenset({429, 500, 502, 503, 504})


class Pace:
    """How callers act: again and again until it is over; a pending request still waits for its answer."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.over = asyncio.Event()

    async def repeat(self, act: Callable[[], Awaitable[None]], seconds: float) -> None:
        """About so many seconds apart."""
        while not self.over.is_set():
            await act()
            await asyncio.sleep(seconds * self.chance.uniform(0.5, 1.5))


class Answer(msgspec.Struct, frozen=True):
    status: int
    body: Any

    @property
    def data(self) -> Any:
        return self.body["data"]

    @property
    def still_running(self) -> bool:
        return self.status == 409 and "still running" in self.body["message"]


class Tally:
    """The answers to all callers of a service."""

    def __init__(self) -> None:
        self.answers: Counter[str] = Counter()
        self.unexpected: Counter[str] = Counter()
        # What was asked again and again, and has no final answer yet.
        self.pending: Counter[str] = Counter()
        self.broken = 0
        self.silent: list[tuple[float, str]] = []
        self.longest_seconds = 0.0


class Caller:
    """One key from one address; slow clients come from others, which may be bounded."""

    def __init__(self, base_url: str, key: str, tally: Tally, address: str) -> None:
        self._tally = tally
        self._session = aiohttp.ClientSession(
            base_url,
            headers={"X-API-Key": key},
            timeout=aiohttp.ClientTimeout(total=ANSWER_SECONDS),
            connector=aiohttp.TCPConnector(local_addr=(address, 0)),
        )

    async def call(
        self, method: str, path: str, body: Any = None, *, key: str | None = None
    ) -> Answer | None:
        """None when there was no answer: nobody knows then what was done."""
        began = time.monotonic()
        headers = {"Idempotency-Key": key} if key else {}
        try:
            async with self._session.request(method, path, json=body, headers=headers) as response:
                raw = await response.read()
        except TimeoutError:
            self._tally.silent.append((began, f"{method} {path}"))
            return None
        except (aiohttp.ClientError, OSError):
            self._tally.broken += 1
            return None
        finally:
            self._tally.longest_seconds = max(self._tally.longest_seconds, time.monotonic() - began)
        answer = Answer(response.status, _decoded(raw))
        self._tally.answers[_kind(answer)] += 1
        return answer

    async def insist(self, method: str, path: str, body: Any = None, *, key: str | None = None) -> Answer:
        """Asks the same again until there is a final answer."""
        asked = f"{method} {path}"
        self._tally.pending[asked] += 1
        while True:
            answer = await self.call(method, path, body, key=key)
            if answer is not None and answer.status not in _FOR_NOW and not answer.still_running:
                self._tally.pending[asked] -= 1
                return answer
            await asyncio.sleep(_PAUSE)

    def is_expected(self, doing: str, answer: Answer, *statuses: int) -> bool:
        """Whether it has one of these statuses; any other answer is noted."""
        if answer.status not in statuses:
            self.note_unexpected(doing, answer)
        return answer.status in statuses

    def note_unexpected(self, doing: str, answer: Answer) -> None:
        self._tally.unexpected[f"{doing}: {_kind(answer)} {str(answer.body)[:120]}"] += 1

    async def close(self) -> None:
        await self._session.close()


def _decoded(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return {"error": "no JSON", "message": raw[:80].decode(errors="replace")}


def _kind(answer: Answer) -> str:
    if answer.status < 400 or not isinstance(answer.body, dict):
        return str(answer.status)
    return f"{answer.status} {answer.body.get('error', '')}"
