"""What the async client does in its own way; `_sio` does the same for the other."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import Any, TypeVar

from ._uploads import CHUNK, Upload

T = TypeVar("T")

sleep = asyncio.sleep


async def in_thread(function: Callable[..., T], *arguments: Any) -> T:
    return await asyncio.to_thread(function, *arguments)


async def chunks(upload: Upload) -> AsyncIterator[bytes]:
    file = upload.begin()
    if file is not None:
        try:
            while chunk := await in_thread(file.read, CHUNK):
                yield chunk
        finally:
            upload.end(file)
    elif isinstance(upload.pieces, bytes):
        yield upload.pieces
    elif isinstance(upload.pieces, AsyncIterable):
        async for chunk in upload.pieces:
            yield chunk
    else:
        for chunk in upload.pieces or ():
            yield chunk
