"""Search in names and titles, in every language, without an extension.

A text is cut into pairs of neighbouring characters, which needs no words and so works for scripts without spaces. Each
pair is hashed together with the tenant: an index entry belongs to one tenant only, and the size of others does not
matter. Hits are then compared with the text itself, since pairs can match in another order.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from unicodedata import combining

from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import TenantId

# The conditions behind `q`, for tables with the two search columns: for the search index, and for a recheck.
INDEX_CONDITION = "search_grams @> {}::bigint[]"
CONDITION = "search_text LIKE ALL ({}::text[])"

MAX_QUERY_LENGTH = 200
# No script puts more marks on a letter; normalizing takes quadratic time in their number.
_MAX_MARKS = 30
_ACCENTS = re.compile("[\u0300-\u036f]+")
_NORMALIZE = unicodedata.normalize
# Marks without a combining class: each decomposes into two that have one.
_MARKS_IN_DISGUISE = frozenset("\u0f73\u0f75\u0f81")


# Letters with a stroke and joined letters, which no normal form takes apart.
_PLAIN_LETTERS = str.maketrans("øłđðħŧ\u0131", "olddhti") | str.maketrans({"æ": "ae", "œ": "oe", "þ": "th"})


def fold(text: str) -> str:
    """The text for comparisons: without case, accents, width and repeated white space.

    Accents are the marks of European scripts; those that make another letter or vowel in the scripts of Asia stay.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    apart = _NORMALIZE("NFKD", _NORMALIZE("NFKD", _few_marks(text)).casefold())
    bare = _ACCENTS.sub("", apart).translate(_PLAIN_LETTERS)
    return " ".join(_NORMALIZE("NFKC", bare).split())


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
    """The entries of a record in the search index."""
    pieces: set[str] = set()
    for part in texts:
        for word in fold(part or "").split():
            pieces |= _pieces(word)
    return _hashes(tenant, pieces)


def query(tenant: TenantId, q: str) -> tuple[list[int], list[str]]:
    """The search columns of a matching record: every word that isn't too short, anywhere in the text."""
    words = _words(q)
    pieces = {piece for word in words for piece in (_pairs(word) or {word})}
    return _hashes(tenant, pieces), [f"%{_literal(word)}%" for word in words]


def narrows(q: str) -> bool:
    """Whether it has a word that is long enough to search for."""
    return bool(_words(q))


def is_searchable(q: str) -> bool:
    """The same, and not too long."""
    return len(q) <= MAX_QUERY_LENGTH and narrows(q)


def _words(q: str) -> list[str]:
    """One ASCII letter is in nearly every text; in other scripts a character can be a word."""
    if len(q) > MAX_QUERY_LENGTH:
        raise Invalid("q", f"must have at most {MAX_QUERY_LENGTH} characters")
    return [word for word in fold(q).split() if len(word) > 1 or not word.isascii()]


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
