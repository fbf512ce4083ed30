"""On a terminal: colours unless NO_COLOR, and as wide as it is."""

import csv
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import termios

import pytest
from rich.cells import cell_len
from tests.client_cli.users import User
from tests.support.waiting import limit

from steward_client.cli import layout


def seen(user: User, columns: int, *words: str) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with user.start(*words, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE) as process:
        os.close(theirs)
        out = b""
        while True:
            try:
                out += os.read(ours, 4096)
            except OSError:
                break
        process.wait(limit(60))
    os.close(ours)
    assert process.returncode == 0, out
    return out.decode().replace("\r\n", "\n")


def test_a_table_is_coloured_and_fits(user: User) -> None:
    user.says("work-orders", "create", "水が漏れている " * 10, "--priority", "Critical")
    user.variables["TERM"] = "xterm"
    coloured = seen(user, 70, "work-orders", "list")
    assert "\x1b[31m\x1b[1mCritical\x1b[0m" in coloured
    user.variables["NO_COLOR"] = "1"
    plain = seen(user, 70, "work-orders", "list")
    assert "\x1b" not in plain
    assert "…" in plain
    assert max(map(cell_len, plain.splitlines())) <= 70
    assert "\x1b" not in seen(user, 70, "work-orders", "show", "1")


NASTY = "a\x1b[31mb\x7f\x9b2J\u202ec\U000e0001 東京"


def test_control_characters_of_records_do_not_reach_the_terminal(user: User) -> None:
    user.organization.work_orders.create(title=NASTY)
    for words in (("--json",), ("--csv",), ()):
        shown = seen(user, 200, "work-orders", "list", *words).replace("\x1b[1m", "").replace("\x1b[0m", "")
        assert {one for one in NASTY if one in shown} == set("a[31mb2Jc 東京"), words
    assert json.loads(seen(user, 200, "work-orders", "list", "--json"))["title"] == NASTY


def test_a_pipe_gets_the_data_as_it_is(user: User) -> None:
    user.organization.work_orders.create(title=NASTY)
    assert user.one("work-orders", "list")["title"] == NASTY
    [row] = csv.DictReader(io.StringIO(user.says("work-orders", "list", "--csv"), newline=""))
    assert row["title"] == NASTY
    event = user.one("events", "tail", "--after", "start", "--type", "workorder.*", "--count", "1")
    assert event["data"]["object"]["title"] == NASTY


@pytest.mark.parametrize(
    ("widths", "shrinks", "room", "expected"),
    [
        ([6, 20, 6], "-s-", 80, [6, 20, 6]),
        ([6, 20, 6], "-s-", 30, [6, 14, 6]),
        ([6, 20, 30], "-ss", 46, [6, 18, 18]),
        # What doesn't fit is left out, from the right; an id is never cut.
        ([32, 20, 16], "-s-", 50, [32, 16, 0]),
        ([32, 16], "--", 20, [32, 16]),
        ([], "", 20, []),
    ],
)
def test_columns_shrink_to_fit(widths: list[int], shrinks: str, room: int, expected: list[int]) -> None:
    assert layout.fitted(widths, [one == "s" for one in shrinks], room) == expected


@pytest.mark.parametrize(
    ("words", "width", "expected"),
    [("abc", 5, "abc  "), ("abcdef", 4, "abc…"), ("東京都", 5, "東京…"), ("東京都", 4, "東…")],
)
def test_a_cell_is_as_wide_as_its_column(words: str, width: int, expected: str) -> None:
    assert layout.cell(words, width, "…") == expected
