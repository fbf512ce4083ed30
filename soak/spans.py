"""Spans of time and how they lie to each other."""

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    begin: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.begin


def merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.begin <= found[-1].end:
            found[-1] = Span(found[-1].begin, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def without(spans: Iterable[Span], holes: Iterable[Span]) -> list[Span]:
    """What is left of the spans."""
    left = merged(spans)
    for hole in merged(holes):
        left = [
            piece
            for span in left
            for piece in (
                Span(span.begin, min(span.end, hole.begin)),
                Span(max(span.begin, hole.end), span.end),
            )
            if piece.end > piece.begin
        ]
    return left


def cut(spans: Iterable[Span], moments: Sequence[float]) -> list[Span]:
    """The same spans in pieces: each ends where one of the moments lies."""
    pieces = []
    ordered = sorted(moments)
    for span in spans:
        edges = [span.begin, *(moment for moment in ordered if span.begin < moment < span.end), span.end]
        pieces += [Span(begin, end) for begin, end in itertools.pairwise(edges)]
    return pieces


def within(moment: float, spans: Iterable[Span]) -> bool:
    return any(span.begin <= moment <= span.end for span in spans)


def longest(spans: Iterable[Span]) -> Span:
    return max(spans, key=lambda span: span.seconds, default=Span(0.0, 0.0))
