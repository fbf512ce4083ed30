"""What the doctor looks at, and what it finds."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from steward.kit.db.sql import Sql

# So much is shown of what is wrong; there may be more.
SHOWN = 5


class State(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "FAIL"


class Finding(msgspec.Struct, frozen=True):
    """`sentence` is what must be true; `evidence` what contradicts it."""

    name: str
    state: State
    sentence: str
    evidence: list[str] = []


class Check(msgspec.Struct, frozen=True):
    """A sentence and the statement that finds what contradicts it: a line of text for each, none where all is well.

    `given` names the statement's parameters, in order.
    """

    name: str
    sentence: str
    contradicted_by: Sql
    given: Sequence[str] = ()
    otherwise: State = State.FAIL

    def judge(self, evidence: Sequence[str]) -> Finding:
        return judged(self.name, self.sentence, evidence, self.otherwise)


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of the deployment that checks use."""

    now: int
    # After the last attempt nothing is tried again; no delivery waits longer than this for its next one.
    longest_wait_seconds: int
    # What the processes of a deployment of this size may take.
    connections: int
    # The change feed waits for the oldest transaction that writes; so long it may.
    long_transaction_seconds: int = 60

    def values(self) -> Mapping[str, Any]:
        return {
            "now": self.now,
            "now_ms": self.now * 1000,
            "ten_minutes_ms": 600_000,
            "day_ms": 86_400_000,
            "longest_wait_ms": self.longest_wait_seconds * 1000,
            "connections": self.connections,
            "long_transaction_seconds": self.long_transaction_seconds,
        }


def judged(name: str, sentence: str, evidence: Sequence[str], otherwise: State = State.FAIL) -> Finding:
    return Finding(name, otherwise if evidence else State.OK, sentence, list(evidence[:SHOWN]))
