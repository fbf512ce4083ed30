"""Large JSON, read in pieces: a decoder lets nobody else in until it is done, and of a megabyte it may make a hundred thousand values.

The text is cut at commas. What is open at a cut is closed behind it, and opened anew in front of what follows, so that every piece is JSON
by itself, and is not if the text isn't. What becomes of the pieces is put together again; others get their turn in between.
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

# What is no longer than this is read at once.
AT_ONCE = 32 * 1024
# About as much as is read in a time slice, whatever it is: others wait for one piece, and may be let in several times.
PIECE = 12 * 1024

_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_OTHERS = rb'[^][{}"]{0,256}+'
# Small objects and lists are passed over as one, with what they hold: most often some kilobytes.
_FLAT = rb"[{\[]%s(?:%s%s){0,20}[]}]" % (_OTHERS, _TEXT, _OTHERS)
_SMALL = rb"[{\[]%s(?:(?:%s|%s)%s){0,6}[]}]" % (_OTHERS, _TEXT, _FLAT, _OTHERS)
# Up to a bracket behind which lies more; in front of one within an object, the last text is its key.
_RUN = re.compile(rb"%s(?:(?:(%s)|%s|%s)%s){0,60}" % (_OTHERS, _TEXT, _FLAT, _SMALL, _OTHERS), re.DOTALL)
# Up to a bracket or comma.
_STEP = re.compile(rb'[^][{}",]{0,1024}+(%s)?' % _TEXT, re.DOTALL)
_CLOSING = {b"{": b"}", b"[": b"]"}
# Brackets that hold others cost two looks each, where they open and where they close; records have one among many letters.
_BRACKETS_AT_ALL = 2_000
_BYTES_PER_BRACKET = 200
# No decoder of ours goes deeper. What is opened anew in front of a piece is a third of it at most, so that reading stays linear.
_DEEPEST = 1_000
_LONGEST_WAY = PIECE // 3
# No field takes as much; looking for the end of a text is one step, and so is decoding it. An item of a batch is refused by itself.
_LONGEST_TEXT = 256 * 1024
_TOO_DEEP = "The body is nested too deeply."
# Stands where something was left out; no sender knows it.
LEFT_OUT = msgspec.json.encode(token_hex(16))


async def pieces(
    body: bytes, within: tuple[bytes, ...] = (), *, size: int = PIECE
) -> AsyncGenerator[tuple[int, bytes]]:
    """Each with how many of its outermost objects and lists go on from the piece before.

    `within` allows cuts there only: each opening bracket on the way, behind its key and colon. What lies between such cuts and is larger than
    any body is left out, with `LEFT_OUT` in its place.
    """
    start, at, key = 0, 0, b""
    path = _Path(within, most=_BRACKETS_AT_ALL + len(body) // _BYTES_PER_BRACKET)
    opening, depth = b"", 0
    time_slice = TimeSlice()
    longest = len(body) if within else _LONGEST_TEXT
    while at < len(body):
        may_cut = at - start > size and path.may_be_cut
        found = (_STEP if may_cut else _RUN).match(body, at, at + longest)
        # Neither pattern asks for anything, so that both always match.
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
    """The lists and objects that are open."""

    def __init__(self, within: Sequence[bytes], *, most: int) -> None:
        self._most = most
        self.open: list[bytes] = []
        self._within = list(within)
        # Where the last one began that may be cut off from its neighbours.
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
        """How long that is which ends here, where it may be cut off from its neighbours."""
        self.open.pop()
        return at - self.begun if self.open == self._within else 0


def _checked(piece: bytes) -> bytes:
    refuse_extreme_numbers(piece)
    return piece


def _refuse_long_text(body: bytes, at: int, longest: int) -> None:
    """Otherwise it has no end, or a bracket closes nothing: decoding the rest will say so."""
    if body.startswith(b'"', at) and len(body) - at > longest:
        raise BadRequest(f"The body holds a text of more than {longest // 1024} KiB.")


async def read_in_pieces(
    body: bytes, decode: Callable[[bytes], Any] = msgspec.json.decode, *, size: int = PIECE
) -> Any:
    """What the body holds; refused if it isn't JSON or names a key twice."""
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
    """Adds to the former what the latter has: to begin with, the last of the one and the first of the other are the same thing."""
    for _ in range(depth - 1):
        if isinstance(former, dict):
            last, first = next(reversed(former.values())), latter.pop(next(iter(latter)))
        else:
            last, first = former[-1], latter.pop(0)
        _extend(former, latter)
        former, latter = last, first
    if not former or not latter:
        raise msgspec.DecodeError("a comma stands beside nothing")
    _extend(former, latter)


def _extend(former: Any, latter: Any) -> None:
    if isinstance(former, list):
        former += latter
    elif former.keys().isdisjoint(latter):
        former |= latter
    else:
        raise key_named_twice(next(name for name in latter if name in former))
