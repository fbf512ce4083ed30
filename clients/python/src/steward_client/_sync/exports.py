"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

import csv
import io
import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import httpx

from .. import _sio
from .._answers import read
from .._calls import Call
from .._files import replaced, settle
from ..errors import ConnectionFailed, InvalidAnswer
from .transport import Transport

T = TypeVar("T")

# By how the path of an export ends.
_TYPES = {"csv": "text/csv", "ndjson": "application/x-ndjson"}


class Export(Generic[T]):
    """Iterates over bytes; nothing is asked for before, and nothing is kept. Each iteration is a request of its own."""

    def __init__(self, transport: Transport, call: Call, kind: Any) -> None:
        self._transport = transport
        self._call = call
        self._kind = kind
        self._open: list[httpx.Response] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of what wasn't read to its end."""
        while self._open:
            self._open.pop().close()

    def __iter__(self) -> Iterator[bytes]:
        return self.chunks()

    def chunks(self) -> Iterator[bytes]:
        response = self._transport.send(self._call, stream=True)
        self._open.append(response)
        try:
            _require_type(self._call, response)
            yield from response.iter_bytes()
        except httpx.RequestError as fault:
            raise ConnectionFailed(
                None, "ConnectionFailed", f"The export broke off: {str(fault) or type(fault).__name__}"
            ) from fault
        finally:
            response.close()
            if response in self._open:
                self._open.remove(response)

    def lines(self) -> Iterator[str]:
        """As of a text file: each with its end, so that they may be handed to `csv.reader`."""
        for line in self._raw_lines():
            yield line.decode()

    def records(self) -> Iterator[T]:
        """What each line of NDJSON holds; of CSV, the texts of each row by the names of their columns."""
        if self._call.path.endswith(".csv"):
            yield from self._rows()
            return
        for line in self._raw_lines():
            yield read(self._kind, line, status=200, request_id=None)

    def _rows(self) -> Iterator[Any]:
        names: list[str] | None = None
        record = ""
        for line in self.lines():
            record += line
            # A cell may hold ends of lines; as long as it is open, there is a quotation mark without its like.
            if record.count('"') % 2:
                continue
            cells = next(csv.reader(io.StringIO(record, newline="")), [])
            record = ""
            if names is None:
                names = cells
            elif cells:
                yield dict(zip(names, cells, strict=True))

    def _raw_lines(self) -> Iterator[bytes]:
        rest = b""
        for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line + b"\n"
        if rest:
            yield rest

    def save(self, path: str | os.PathLike[str]) -> int:
        """Writes a file, and the number of its bytes comes back. One that broke off leaves what was there before.

        A link stays, and so does the mode of a file that is replaced. A pipe or a device is written as it is.
        """
        size = 0
        with replaced(path) as file:
            for chunk in self.chunks():
                size += _sio.in_thread(file.write, chunk)
            _sio.in_thread(settle, file)
        return size


def _require_type(call: Call, response: httpx.Response) -> None:
    """The page on which a proxy asks to log in is a success, too, and no export."""
    expected = _TYPES[call.path.rpartition(".")[2]]
    came = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if came != expected:
        raise InvalidAnswer(
            response.status_code,
            "InvalidAnswer",
            f"The answer isn't what was expected: {came or 'no type at all'} in place of {expected}",
            response.headers.get("X-Request-Id"),
        )
