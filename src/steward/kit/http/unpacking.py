"""Bodies that come packed. What they become is bounded while it becomes so, so that a few bytes never take much memory."""

import zlib

from steward.kit.domain.problems import BadRequest, PayloadTooLarge, UnsupportedMediaType
from steward.kit.http.server.exchange import body_too_large
from steward.kit.runtime.helper_threads import SMALLEST, beside_loop

# zlib's word for a stream with the head and the sum of gzip.
_GZIP = 31
_NAMES = frozenset({"gzip", "x-gzip"})
# JSON and CSV of real records shrink to a tenth or a hundredth; the most that gzip can do is a thousandth.
_MAX_RATIO = 250
_ALWAYS_ALLOWED = 64 * 1024
# Packers that cut what they pack make one of 64 KB; for each of them, all that follows is copied.
_MAX_STREAMS = 256


def is_packed(content_encoding: str | None) -> bool:
    """Whether the body has to be unpacked; 415 where nobody here can."""
    if content_encoding is None or content_encoding.strip().lower() in {"", "identity"}:
        return False
    if content_encoding.strip().lower() in _NAMES:
        return True
    raise UnsupportedMediaType(
        "The body's Content-Encoding must be gzip or absent.", headers={"Accept-Encoding": "gzip"}
    )


async def unpacked(body: bytes, limit: int) -> bytes:
    """Bodies of some size are unpacked beside the event loop."""
    if len(body) * _MAX_RATIO <= SMALLEST:
        return _unpacked(body, limit)
    return await beside_loop(_unpacked, body, limit)


def _unpacked(body: bytes, limit: int) -> bytes:
    """Several streams behind each other are one, as gzip has it."""
    parts: list[bytes] = []
    most = min(limit, max(_ALWAYS_ALLOWED, len(body) * _MAX_RATIO))
    size = 0
    while body:
        unpacker = zlib.decompressobj(_GZIP)
        try:
            parts.append(unpacker.decompress(body, most - size + 1))
        except zlib.error:
            raise BadRequest("The body is not gzip, though its Content-Encoding says so.") from None
        size += len(parts[-1])
        if size > limit:
            raise body_too_large(limit)
        if size > most:
            raise PayloadTooLarge(f"The body unpacks to more than {_MAX_RATIO} times its size.")
        if not unpacker.eof:
            raise BadRequest("The body's gzip stream ends before it is complete; nothing was done.")
        if len(parts) == _MAX_STREAMS and unpacker.unused_data:
            raise BadRequest(f"The body has more than {_MAX_STREAMS} gzip streams behind each other.")
        body = unpacker.unused_data
    return b"".join(parts)
