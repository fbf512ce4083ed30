"""Decompresses bodies, with a bound while they grow, so that a few bytes never take much memory."""

import zlib

from steward.kit.domain.problems import BadRequest, PayloadTooLarge, UnsupportedMediaType
from steward.kit.http.server.exchange import body_too_large
from steward.kit.runtime.helper_threads import SMALLEST, beside_loop

# The zlib parameter for a stream with the gzip header and checksum.
_GZIP = 31
_NAMES = frozenset({"gzip", "x-gzip"})
# JSON and CSV of real records shrink to a tenth or a hundredth; gzip's limit is a thousandth.
_MAX_RATIO = 250
_ALWAYS_ALLOWED = 64 * 1024
# Encoders that split their input make members of 64 KB; each costs a copy of all that follows.
_MAX_STREAMS = 256


def is_packed(content_encoding: str | None) -> bool:
    """Whether the body is compressed; 415 for an encoding that we don't support."""
    if content_encoding is None or content_encoding.strip().lower() in {"", "identity"}:
        return False
    if content_encoding.strip().lower() in _NAMES:
        return True
    raise UnsupportedMediaType(
        "The body's Content-Encoding must be gzip or absent.", headers={"Accept-Encoding": "gzip"}
    )


async def unpacked(body: bytes, limit: int) -> bytes:
    """Larger bodies are decompressed in a helper thread."""
    if len(body) * _MAX_RATIO <= SMALLEST:
        return _unpacked(body, limit)
    return await beside_loop(_unpacked, body, limit)


def _unpacked(body: bytes, limit: int) -> bytes:
    """Several members in a row are one stream, as gzip defines it."""
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
