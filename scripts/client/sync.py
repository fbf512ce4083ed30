"""The sync client, made from the source of the async one: word by word, nothing else is changed."""

import io
import re
import tokenize

WORDS = {
    "AsyncClient": "Client",
    "AsyncIterable": "Iterable",
    "AsyncIterator": "Iterator",
    "StopAsyncIteration": "StopIteration",
    "_aio": "_sio",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
    "aread": "read",
}
_DROPPED = {"async", "await"}


def to_sync(source: str) -> str:
    """Positions are kept as they were, so that comments and docstrings stay; the formatter sees to the rest."""
    lines = source.splitlines(keepends=True)
    found: list[str] = []
    row, column = 1, 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        found.append(_between(lines, (row, column), token.start))
        row, column = token.end
        if token.type == tokenize.NAME and token.string in _DROPPED:
            # With the blank behind it.
            column += 1
        elif token.type == tokenize.NAME:
            found.append(_word(token.string))
        else:
            found.append(token.string)
    return "".join(found)


def _word(word: str) -> str:
    return WORDS.get(word) or re.sub(r"^(_?)Async(?=[A-Z])", r"\1", word)


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start >= end:
        return ""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    rows = [lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1]]
    return "".join(rows) + (lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else "")
