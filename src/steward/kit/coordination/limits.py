"""A limit, and what is left of it for one subject."""

import msgspec

from steward.kit.domain.problems import TooManyRequests


class Limit(msgspec.Struct, frozen=True):
    """`allowed` times in `seconds`, counted from the first."""

    scope: str
    allowed: int
    seconds: int
    what: str
    # The limit as the headers of an answer show it.
    policy: str = ""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "policy", f'"{self.scope}";q={self.allowed};w={self.seconds}')


class Allowance(msgspec.Struct, frozen=True):
    allowed: bool
    remaining: int
    reset_seconds: int


def refusal(limit: Limit, allowance: Allowance, words: str | None = None) -> TooManyRequests:
    """In the words of a slice, where they are better than these."""
    words = words or f"at most {limit.allowed} {limit.what} in {limit.seconds} seconds."
    return TooManyRequests(words, retry_after=allowance.reset_seconds)
