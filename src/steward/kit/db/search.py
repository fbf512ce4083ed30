"""Search in names and titles, in every language, without an extension.

A text is cut into pairs of neighbouring characters, which needs no words and so works for scripts without spaces. Each
pair is hashed together with the tenant: an index entry belongs to one tenant only, and the size of others does not
matter. Hits are then held against the text itself, since pairs can match in another order.
"""

import hashlib
import unicodedata
from collections.abc import Iterable
from unicodedata import combining

from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import TenantId

# The condition behind `q`, for tables with the two search columns.
CONDITION = "search_grams @> {}::bigint[] AND search_text LIKE ALL ({}::text[])"
# The same for a few records, without the index.
CONDITION_WITHOUT_INDEX = "search_text LIKE ALL ({}::text[])"
# The index fetches every record that has a word, and only then the newest of them. So as many of the newest records as this are
# looked through first: a word that is rare among these is rare, and the index is quick.
WINDOW = 2000

MAX_QUERY_LENGTH = 200
# No script puts more marks on a letter; normalizing sorts them, at a cost that is the square of their number.
_MAX_MARKS = 30
# Marks that don't say so: each falls apart into two that do.
_MARKS_IN_DISGUISE = frozenset("\u0f73\u0f75\u0f81")


def fold(text: str) -> str:
    """What is compared: case, width and runs of white space make no difference."""
    return " ".join(unicodedata.normalize("NFKC", _few_marks(text)).casefold().split())


def _few_marks(text: str) -> str:
    if len(text) <= _MAX_MARKS or text.isascii():
        return text
    kept, run = [], 0
    for character in text:
        run = run + 1 if combining(character) or character in _MARKS_IN_DISGUISE else 0
        if run <= _MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def text(*texts: str | None) -> str:
    return " ".join(fold(part) for part in texts if part)


def grams(tenant: TenantId, *texts: str | None) -> list[int]:
    """The entries under which a record is found."""
    pieces: set[str] = set()
    for part in texts:
        for word in fold(part or "").split():
            pieces |= _pieces(word)
    return _hashes(tenant, pieces)


def query(tenant: TenantId, q: str) -> tuple[list[int], list[str]]:
    """What a record must have to be found: every word, each anywhere in the text."""
    if len(q) > MAX_QUERY_LENGTH:
        raise Invalid("q", f"must have at most {MAX_QUERY_LENGTH} characters")
    words = fold(q).split()
    if not words or any(len(word) < 2 and word.isascii() for word in words):
        raise Invalid("q", "every word needs at least two characters")
    pieces = {piece for word in words for piece in (_pairs(word) or {word})}
    return _hashes(tenant, pieces), [f"%{_literal(word)}%" for word in words]


def words(tenant: TenantId, q: str) -> tuple[list[str]]:
    """What a record must have where the index isn't asked."""
    return (query(tenant, q)[1],)


def is_searchable(tenant: TenantId, q: str) -> bool:
    """Whether there is something to search for yet, for who searches while somebody writes."""
    try:
        query(tenant, q)
    except Invalid:
        return False
    return True


def _pairs(word: str) -> set[str]:
    return {word[i : i + 2] for i in range(len(word) - 1)}


def _pieces(word: str) -> set[str]:
    # One character can be a word in some scripts; in ASCII it never is.
    return _pairs(word) | {character for character in word if not character.isascii()}


def _literal(word: str) -> str:
    return word.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def _hashes(tenant: TenantId, pieces: Iterable[str]) -> list[int]:
    keyed = hashlib.blake2b(key=tenant.encode()[:64], digest_size=8)
    hashes = []
    for piece in pieces:
        # A copy saves taking in the key again.
        hashed = keyed.copy()
        hashed.update(piece.encode())
        hashes.append(int.from_bytes(hashed.digest(), "big", signed=True))
    return sorted(hashes)
