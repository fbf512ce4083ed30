"""The stream within the seal: records of a kind and a length. Rows are what PostgreSQL's COPY writes and reads, as text: any
server version understands it."""

import struct
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple, TypeVar

import msgspec

from steward.operations.backup.model import BackupError, Contents, Totals
from steward.operations.backup.sealed_file import SealedReader, SealedWriter

T = TypeVar("T")

_HEAD = struct.Struct(">cI")
_MAX_RECORD = 1 << 30


class RecordKind(Enum):
    CONTENTS = b"C"
    TABLE = b"T"
    ROWS = b"D"
    TOTALS = b"Z"


class DumpRecord(NamedTuple):
    kind: RecordKind
    data: bytes


def write_record(writer: SealedWriter, kind: RecordKind, data: bytes) -> None:
    writer.write(_HEAD.pack(kind.value, len(data)) + data)


def read_records(reader: SealedReader) -> Iterator[DumpRecord]:
    waiting = bytearray()
    for piece in reader.pieces():
        waiting += piece
        begin = 0
        while len(waiting) - begin >= _HEAD.size:
            letter, length = _HEAD.unpack_from(waiting, begin)
            if length > _MAX_RECORD:
                raise BackupError("the backup holds a record that is too long")
            end = begin + _HEAD.size + length
            if len(waiting) < end:
                break
            yield DumpRecord(_kind(letter), bytes(waiting[begin + _HEAD.size : end]))
            begin = end
        del waiting[:begin]
    if waiting:
        raise BackupError("the backup ends within a record")


def _kind(letter: bytes) -> RecordKind:
    try:
        return RecordKind(letter)
    except ValueError:
        raise BackupError("the backup holds a record of a kind that this version doesn't know") from None


def read_contents(record: DumpRecord | None) -> Contents:
    if record is None or record.kind is not RecordKind.CONTENTS:
        raise BackupError("the backup doesn't begin with its contents")
    return _decoded(record, Contents)


def read_totals(record: DumpRecord) -> Totals:
    if record.kind is not RecordKind.TOTALS:
        raise BackupError("the backup doesn't end with its totals")
    return _decoded(record, Totals)


def _decoded(record: DumpRecord, what: type[T]) -> T:
    try:
        return msgspec.json.decode(record.data, type=what)
    except msgspec.DecodeError as error:
        raise BackupError(f"the backup is of a form that this version can't read: {error}") from None
