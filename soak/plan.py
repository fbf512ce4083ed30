"""Which faults happen when: decided by a seed, before anything runs."""

import random
from collections.abc import Sequence

import msgspec

# What may happen at the same time as something else, because it lasts for a moment only.
_SUDDEN = ("kill api", "kill worker", "kill backend")
_SHORTEST, _MAX_LENGTH = 1.0, 15.0
_PAIR_SHARE = 0.2
# The supervisor gives up on what dies five times in a minute, and it is right.
_SAME_AGAIN_SECONDS = 25.0


class Fault(msgspec.Struct, frozen=True):
    kind: str
    seconds: float
    calm_seconds: float
    # Happens in the middle of the first.
    beside: str | None = None


def long_plan(kinds: Sequence[str], minutes: float, chance: random.Random) -> list[Fault]:
    """Every kind in turn and in another order each time; more than can happen in that time."""
    plan: list[Fault] = []
    at, last = 0.0, dict.fromkeys(_SUDDEN, -1e9)
    while at < minutes * 60:
        for kind in chance.sample(list(kinds), len(kinds)):
            # Short ones are more frequent than long ones.
            seconds = _SHORTEST + (_MAX_LENGTH - _SHORTEST) * chance.random() ** 2
            calm = chance.uniform(1.0, 5.0)
            free = [one for one in _SUDDEN if one in kinds and at - last[one] > _SAME_AGAIN_SECONDS]
            paired = kind not in _SUDDEN and free and chance.random() < _PAIR_SHARE
            beside = chance.choice(free) if paired else None
            plan.append(Fault(kind, round(seconds, 1), round(calm, 1), beside))
            for one in (kind, beside):
                if one in last:
                    last[one] = at
            at += seconds + calm
    return plan
