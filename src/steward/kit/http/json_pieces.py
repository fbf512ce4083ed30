"""Large JSON, decoded in pieces.

A decoder blocks the event loop until it is done, and a megabyte may become a hundred thousand values. So the
text is cut at commas. Each piece closes the brackets that are open at its end, and the next piece opens them
again, so that every piece is valid JSON exactly if the whole text is. The decoded pieces are joined; other
requests run in between.
"""

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from secrets import token_hex
from typing import Any

import msgspec

from steward.kit.domain.problems import BadRequest
from steward.kit.http.extreme_numbers import refuse_extreme_numbers
from steward.kit.http.repeated_keys import key_named_twice, refuse_repeated_keys_in
from steward.kit.http.server.exchange import MAXIMUM_BODY
from steward.kit.runtime.time_slice import TimeSlice

# Shorter texts are decoded at once.
AT_ONCE = 32 * 1024
# About one time slice of work, whatever the content: others wait for one piece.
PIECE = 12 * 1024

_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_OTHERS = rb'[^][{}"]{0,256}+'
# Small objects and lists are skipped as one, with their content: usually some kilobytes.
_FLAT = rb"[{\[]%s(?:%s%s){0,20}[]}]" % (_OTHERS, _TEXT, _OTHERS)
_SMALL = rb"[{\[]%s(?:(?:%s|%s)%s){0,6}[]}]" % (_OTHERS, _TEXT, _FLAT, _OTHERS)
# Up to a bracket with more text behind it; before a bracket within an object, the last text is its key.
_RUN = re.compile(rb"%s(?:(?:(%s)|%s|%s)%s){0,60}" % (_OTHERS, _TEXT, _FLAT, _SMALL, _OTHERS), re.DOTALL)
# Up to a bracket or comma.
_STEP = re.compile(rb'[^][{}",]{0,1024}+(%s)?' % _TEXT, re.DOTALL)
_CLOSING = {b"{": b"}", b"[": b"]"}
# Brackets that contain others cost two steps each, at their start and end; records have one among many
# letters.
_BRACKETS_AT_ALL = 2_000
_BYTES_PER_BRACKET = 200
# No decoder of ours goes deeper. The reopened brackets are a third of a piece at most, so decoding stays
# linear.
_DEEPEST = 1_000
_LONGEST_WAY = PIECE // 3
# No field takes as much; finding the end of a text is one step, and so is decoding it. An item of a batch is
# refused by itself.
_LONGEST_TEXT = 256 * 1024
_TOO_DEEP = "The body is nested too deeply."
# Replaces what was left out; no sender knows it.
LEFT_OUT = msgspec.json.encode(token_hex(16))


async def pieces(
    body: bytes, within: tuple[bytes, ...] = (), *, size: int = PIECE
) -> AsyncGenerator[tuple[int, bytes]]:
    """Yields each piece with how many of its outermost objects and lists continue from the piece before.

    `within` allows cuts there only: each opening bracket on the way, behind its key and colon. A part between
    such cuts that is larger than any body is left out, with `LEFT_OUT` in its place.
    """
    start, at, key = 0, 0, b""
    path = _Path(within, most=_BRACKETS_AT_ALL + len(body) // _BYTES_PER_BRACKET)
    opening, depth = b"", 0
    time_slice = TimeSlice()
    longest = len(body) if within else _LONGEST_TEXT
    while at < len(body):
        may_cut = at - start > size and path.may_be_cut
        found = (_STEP if may_cut else _RUN).match(body, at, at + longest)
        # Both patterns can match the empty string, so they always match.
        stop = at if found is None else found.end()
        key = (found and found[1]) or key
        sign = body[stop : stop + 1]
        if sign in _CLOSING:
            path.enter(key, sign, stop)
        elif sign in {b"}", b"]"} and path.open:
            if path.leave(stop + 1) > MAXIMUM_BODY and within:
                opening, start = opening + body[start : path.begun] + LEFT_OUT, stop + 1
        elif sign == b"," and may_cut:
            yield depth, _checked(opening + body[start:stop] + path.closing)
            start, opening, depth = stop + 1, path.opening, len(path.open)
            await time_slice.yield_control()
        elif stop == at:
            _refuse_long_text(body, at, longest)
            break
        else:
            stop -= 1
        at = stop + 1
        if time_slice.expired:
            await time_slice.yield_control()
    yield depth, _checked(opening + body[start:])


class _Path:
    """The open lists and objects."""

    def __init__(self, within: Sequence[bytes], *, most: int) -> None:
        self._most = most
        self.open: list[bytes] = []
        self._within = list(within)
        # The start of the last part that may be cut off from its neighbours.
        self.begun = 0

    @property
    def may_be_cut(self) -> bool:
        return bool(self.open) and (not self._within or self.open == self._within)

    @property
    def opening(self) -> bytes:
        opening = b"".join(self.open)
        if len(opening) > _LONGEST_WAY:
            raise BadRequest("The body has names too long in front of lists and objects that hold much.")
        return opening

    @property
    def closing(self) -> bytes:
        return b"".join(_CLOSING[each[-1:]] for each in reversed(self.open))

    def enter(self, key: bytes, bracket: bytes, at: int) -> None:
        self._most -= 1
        if not self._most:
            raise BadRequest("The body holds too many lists and objects within each other.")
        if len(self.open) == _DEEPEST:
            raise BadRequest(_TOO_DEEP)
        if self.open == self._within:
            self.begun = at
        self.open.append(b"%s:%s" % (key, bracket) if self.open and self.open[-1][-1:] == b"{" else bracket)

    def leave(self, at: int) -> int:
        """The length of the part that ends here, where it may be cut off from its neighbours."""
        self.open.pop()
        return at - self.begun if self.open == self._within else 0


def _checked(piece: bytes) -> bytes:
    refuse_extreme_numbers(piece)
    return piece


def _refuse_long_text(body: bytes, at: int, longest: int) -> None:
    """Otherwise it has no end, or a bracket closes nothing: decoding the rest reports it."""
    if body.startswith(b'"', at) and len(body) - at > longest:
        raise BadRequest(f"The body holds a text of more than {longest // 1024} KiB.")


async def read_in_pieces(
    body: bytes, decode: Callable[[bytes], Any] = msgspec.json.decode, *, size: int = PIECE
) -> Any:
    """The decoded body; refused if it isn't JSON or repeats a key."""
    whole: Any = None
    try:
        async with aclosing(pieces(body, size=size)) as found:
            async for depth, piece in found:
                value = decode(piece)
                refuse_repeated_keys_in(piece, value)
                if depth:
                    _go_on(whole, value, depth)
                else:
                    whole = value
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadRequest("The body is not JSON.") from None
    except RecursionError:
        raise BadRequest(_TOO_DEEP) from None
    return whole


def _go_on(former: Any, latter: Any, depth: int) -> None:
    """Joins two values: at the seam, the last value of the first and the first value of the second are the
    same.
    """
    for _ in range(depth - 1):
        if isinstance(former, dict):
            last, first = next(reversed(former.values())), latter.pop(next(iter(latter)))
        else:
            last, first = former[-1], latter.pop(0)
        _extend(former, latter)
        former, latter = last, first
    if not former or not latter:
        raise msgspec.DecodeError("a comma without a value")
    _extend(former, latter)


def _extend(former: Any, latter: Any) -> None:
    if isinstance(former, list):
        former += latter
    elif former.keys().isdisjoint(latter):
        former |= latter
    else:
        raise key_named_twice(next(name for name in latter if name in former))
