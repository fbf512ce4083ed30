"""Bodies that come packed. What they become is bounded while it becomes so, so that a few bytes never take much memory."""

import zlib

from steward.kit.domain.problems import BadRequest, UnsupportedMediaType
from steward.kit.http.server.exchange import body_too_large

# zlib's word for a stream with the head and the sum of gzip.
_GZIP = 31
_NAMES = frozenset({"gzip", "x-gzip"})


def is_packed(content_encoding: str | None) -> bool:
    """Whether the body has to be unpacked; 415 where nobody here can."""
    if content_encoding is None or content_encoding.strip().lower() in {"", "identity"}:
        return False
    if content_encoding.strip().lower() in _NAMES:
        return True
    raise UnsupportedMediaType(
        "The body's Content-Encoding must be gzip or absent.", headers={"Accept-Encoding": "gzip"}
    )


def unpacked(body: bytes, limit: int) -> bytes:
    """Several streams behind each other are one, as gzip has it."""
    parts: list[bytes] = []
    size = 0
    while body:
        unpacker = zlib.decompressobj(_GZIP)
        try:
            parts.append(unpacker.decompress(body, limit - size + 1))
        except zlib.error:
            raise BadRequest("The body is not gzip, though its Content-Encoding says so.") from None
        size += len(parts[-1])
        if size > limit:
            raise body_too_large(limit)
        if not unpacker.eof:
            raise BadRequest("The body's gzip stream ends before it is complete; nothing was done.")
        body = unpacker.unused_data
    return b"".join(parts)
