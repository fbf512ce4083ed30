"""zstd, brotli or gzip for answers of more than 1 KB, as their callers accept them.

An answer that is made for one request is packed by what costs least for what it saves: 53 KB of JSON become 11.3 KB in 0.21 ms by
zstd, 12.1 KB in 0.23 ms by brotli, 14.3 KB in 0.51 ms by gzip. Answers that are kept between requests are packed once, when
somebody first asks for them so, and may take fifty times as long. `python -m bench.compression` measures what that is worth.
"""

import zlib
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import lru_cache, partial
from typing import Protocol

import brotli
import msgspec
import zstandard

SMALLEST = 1024
# zlib's word for a stream with the head and the sum of gzip.
_GZIP = 31
# What a stream looks back on: half a megabyte at most, since many may be under way.
_STREAM_WINDOW = 19
_TYPES = frozenset({"application/json", "application/x-ndjson", "image/svg+xml", "application/problem+json"})
# A stream of events is read as it comes, one by one.
_NEVER = "text/event-stream"

VARY = ("vary", "accept-encoding")


class Packer(Protocol):
    """A stream that is being packed; whatever has gone in can be read from what has come out."""

    def pack(self, chunk: bytes) -> bytes: ...
    def end(self) -> bytes: ...


def _gzip(body: bytes, level: int) -> bytes:
    """`zlib.compress` takes twice as long for a small one."""
    stream = zlib.compressobj(level, zlib.DEFLATED, _GZIP)
    return stream.compress(body) + stream.flush()


class _Gzip:
    def __init__(self) -> None:
        self._stream = zlib.compressobj(2, zlib.DEFLATED, _GZIP)

    def pack(self, chunk: bytes) -> bytes:
        return self._stream.compress(chunk) + self._stream.flush(zlib.Z_SYNC_FLUSH)

    def end(self) -> bytes:
        return self._stream.flush()


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Compressor(quality=1, lgwin=_STREAM_WINDOW)

    def pack(self, chunk: bytes) -> bytes:
        return self._stream.process(chunk) + self._stream.flush()  # type: ignore[no-any-return]

    def end(self) -> bytes:
        return self._stream.finish()  # type: ignore[no-any-return]


class _Zstd:
    def __init__(self) -> None:
        parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=_STREAM_WINDOW)
        self._stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()

    def pack(self, chunk: bytes) -> bytes:
        return self._stream.compress(chunk) + self._stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)

    def end(self) -> bytes:
        return self._stream.flush()


class Encoding(msgspec.Struct, frozen=True):
    """A way to pack: now, for one caller; once, for many; or as it goes."""

    name: str
    pack: Callable[[bytes], bytes]
    # These two may run in any thread. The second takes its time, for answers that are kept packed.
    pack_large: Callable[[bytes], bytes]
    pack_once: Callable[[bytes], bytes]
    packer: Callable[[], Packer]
    # What it was called once.
    old_name: str | None = None

    @property
    def header(self) -> tuple[str, str]:
        return ("content-encoding", self.name)

    def tag(self, tag: str) -> str:
        """`"abc"` → `"abc-gzip"`: a strong validator names bytes, so packed ones have one of their own. A weak one is that of all."""
        return tag if tag.startswith("W/") else f'{tag[:-1]}-{self.name}"'


_brotli, _quick_gzip = partial(brotli.compress, quality=1), partial(_gzip, level=2)
# The dearest last: of several that a caller likes alike, the first is taken. A kept compressor spares making one each time; it
# belongs to the event loop's thread.
ENCODINGS = (
    Encoding(
        "zstd",
        zstandard.ZstdCompressor(level=3).compress,
        partial(zstandard.compress, level=3),
        partial(zstandard.compress, level=12),
        _Zstd,
    ),
    Encoding("br", _brotli, _brotli, partial(brotli.compress, quality=6), _Brotli),
    Encoding("gzip", _quick_gzip, _quick_gzip, partial(_gzip, level=9), _Gzip, old_name="x-gzip"),
)
_SUFFIXES = tuple(f'-{encoding.name}"' for encoding in ENCODINGS)


@lru_cache(maxsize=256)
def chosen(accept_encoding: str) -> Encoding | None:
    """What the caller likes best; None where that is nothing of ours, or nothing at all."""
    weights: dict[str | None, float] = {}
    for part in accept_encoding.lower().split(","):
        name, _, parameters = part.partition(";")
        weights[name.strip()] = _weight(parameters)

    def weight(encoding: Encoding) -> float:
        """What is named wins over `*`."""
        named = weights.get(encoding.name, weights.get(encoding.old_name))
        return weights.get("*", 0.0) if named is None else named

    best = max(ENCODINGS, key=weight)
    return best if weight(best) > 0 and weight(best) >= weights.get("identity", 0.0) else None


def _weight(parameters: str) -> float:
    """0 is a refusal, and so is what can't be read."""
    name, _, value = parameters.partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        weight = float(value)
    except ValueError:
        return 0.0
    return weight if 0 <= weight <= 1 else 0.0


def is_compressible(content_type: str | None) -> bool:
    """Whether packing makes it smaller; pictures and archives are packed already."""
    media_type = (content_type or "").partition(";")[0].strip()
    return media_type in _TYPES or (media_type.startswith("text/") and media_type != _NEVER)


async def packed_chunks(chunks: AsyncGenerator[bytes], encoding: Encoding) -> AsyncGenerator[bytes]:
    """What there is of a stream reaches the caller without waiting for the rest."""
    packer = encoding.packer()
    async with aclosing(chunks):
        async for chunk in chunks:
            if chunk:
                yield packer.pack(chunk)
    yield packer.end()


def unpacked_tag(tag: str) -> str:
    """The validator of the same thing as it is before packing."""
    suffix = next((suffix for suffix in _SUFFIXES if tag.endswith(suffix)), None)
    return tag if suffix is None else f'{tag.removesuffix(suffix)}"'
