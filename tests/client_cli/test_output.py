"""Cells, tables and CSV: what others wrote must neither break a line nor a terminal, nor a spreadsheet."""

import csv
import io
import json
import time
from collections.abc import Sequence
from typing import Any

import click.testing
import pytest
from rich.cells import cell_len

from steward_client.cli import cells
from steward_client.cli.cells import Column
from steward_client.cli.output import Output, has_colours, has_unicode, plain_table

COLUMNS = (Column("number", "number", prefix="#"), Column("title", "title"), Column("made", "created"))
NASTY = 'Leak, "urgent"\r\nsecond line'


def written(format: Any, records: Sequence[dict[str, Any]], columns: Sequence[Column] = COLUMNS) -> str:
    @click.command()
    def show() -> None:
        Output(format).records(columns, records)

    done = click.testing.CliRunner().invoke(show, catch_exceptions=False)
    return done.stdout_bytes.decode()


def test_csv_is_quoted_so_that_it_can_be_read_again() -> None:
    records: list[dict[str, Any]] = [
        {"number": 1, "title": NASTY, "created": 1767225600},
        {"number": 2, "title": None},
    ]
    head, first, second = csv.reader(io.StringIO(written("csv", records), newline=""))
    assert head == ["number", "title", "created"]
    assert first == ["1", NASTY, "1767225600"]
    assert second == ["2", "", ""]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert cells.for_csv(text) == f"'{text}"


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, ""), (True, "true"), (-1, "-1"), (1.5, "1.5"), ({"a": [1]}, '{"a":[1]}'), (["x"], '["x"]')],
)
def test_csv_has_the_values_of_the_api(value: Any, words: str) -> None:
    assert cells.for_csv(value) == words


def test_json_is_a_line_a_record_as_the_api_has_it() -> None:
    records = [{"number": 1, "title": NASTY, "created": 1767225600}, {"number": 2, "title": "東京"}]
    assert [json.loads(line) for line in written("json", records).splitlines()] == records


def test_a_table_is_aligned_by_what_characters_take_up() -> None:
    lines = plain_table(["name", "status"], [["東京タワー", "Open"], ["a", "Open"], ["e\u0301tage", "Open"]])
    assert lines[0].startswith("NAME")
    assert {cell_len(line[: line.index("Open")]) for line in lines[1:]} == {12}


def test_a_long_table_in_a_pipe_has_one_header() -> None:
    lines = written("table", [{"number": number, "title": "Leak"} for number in range(2500)]).splitlines()
    assert (len(lines), sum("NUMBER" in line for line in lines)) == (2501, 1)


def test_a_record_is_one_line_without_control_sequences() -> None:
    out = written("table", [{"number": 7, "title": "a\x1b[2Jb\nc\u202ed\x07", "created": 1767225600}])
    assert out.count("\n") == 2
    assert "\x1b" not in out
    assert "a�[2Jb c�d�" in out
    assert "#7" in out
    assert time.strftime("%Y-%m-%d %H:%M", time.localtime(1767225600)) in out


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("isOnline", False, "no"),
        ("keepAlive", 900, "900"),
        ("value", 21.400000000000002, "21.4"),
        ("features", ["whiteboard", "projector"], "whiteboard, projector"),
        ("metadata", {"serialNumber": "x", "n": 1}, "serialNumber=x, n=1"),
        ("slaPausedSeconds", 12, "12"),
        (
            "metadata",
            {"leadTime": 3, "installedAt": 10**30},
            "leadTime=3, installedAt=1000000000000000000000000000000",
        ),
        ("readings", {"RunTime": {"value": 17, "lastSeen": 4}}, "RunTime=value=17, lastSeen=4"),
    ],
)
def test_values_for_people(field: str, value: Any, words: str) -> None:
    assert cells.shown(field, value) == words


@pytest.mark.parametrize(
    "field",
    ["created", "updated", "slaResolutionDeadline", "completedAt", "startTime", "lastSeen", "slaPausedSince"],
)
def test_times_are_local(field: str) -> None:
    assert cells.shown(field, 1767225600) == time.strftime("%Y-%m-%d %H:%M", time.localtime(1767225600))


def test_a_terminal_that_cannot_is_not_asked_to() -> None:
    assert has_unicode("utf-8")
    assert not has_unicode("ascii")
    assert not has_unicode("latin-1")
    assert not has_colours({"NO_COLOR": "1"})
