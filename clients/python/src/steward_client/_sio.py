"""What the sync client does in its own way; `_aio` does the same for the other."""

import time
from collections.abc import AsyncIterable, Callable, Iterator
from typing import Any, TypeVar

from ._uploads import CHUNK, Upload

T = TypeVar("T")

sleep = time.sleep


def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    return function(*arguments)


def chunks(upload: Upload) -> Iterator[bytes]:
    file = upload.begin()
    if file is not None:
        try:
            while chunk := file.read(CHUNK):
                yield chunk
        finally:
            upload.end(file)
    elif isinstance(upload.pieces, bytes):
        yield upload.pieces
    elif isinstance(upload.pieces, AsyncIterable):
        raise TypeError("an async iterable is for AsyncSteward")
    else:
        yield from upload.pieces or ()
