"""Reads the demo's fixed rows in `rows/`: tables from CSV, the rest from JSON."""

import csv
from pathlib import Path
from typing import TypeVar

import msgspec

R = TypeVar("R")

_FOLDER = Path(__file__).parent / "rows"


def table(name: str, kind: type[R]) -> tuple[R, ...]:
    """An empty cell is the default of its field."""
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        rows = [{key: cell for key, cell in row.items() if cell} for row in csv.DictReader(lines)]
    return msgspec.convert(rows, tuple[kind, ...], strict=False)  # type: ignore[valid-type]


def document(name: str, kind: type[R]) -> R:
    return msgspec.json.decode((_FOLDER / f"{name}.json").read_bytes(), type=kind)


class _Texts(msgspec.Struct, frozen=True):
    """What people write and what they are called."""

    hold_reasons: list[str]
    cancel_reasons: list[str]
    comments: list[str]
    done_comments: list[str]
    meetings: list[str]
    first_names: list[str]
    last_names: list[str]
    companies: list[str]
    equipment_kinds: dict[str, str]


TEXTS = document("texts", _Texts)
