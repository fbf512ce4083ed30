"""Whole lists, out and in."""

import csv
import io
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from tests.client_cli.users import User
from tests.support.waiting import limit

from steward_client import Steward
from steward_client.cli.transfer import EXPORTS, IMPORTS


def test_every_kind_can_be_exported() -> None:
    with Steward("http://127.0.0.1:1", "svc", "org_1") as steward:
        for group in EXPORTS.values():
            assert callable(getattr(steward, group).export_csv)
            assert callable(getattr(steward, group).export_ndjson)
        exported = {name for name in dir(steward) if hasattr(getattr(steward, name, None), "export_csv")}
    # Commands are those to one asset; they are read there.
    assert set(EXPORTS.values()) == exported - {"commands"}
    assert set(IMPORTS) <= {"assets", "locations", "schedule-items"}


def test_an_export_is_written_whole_or_not_at_all(user: User) -> None:
    for title in ("One", "Two"):
        user.says("work-orders", "create", title)
    rows = list(csv.DictReader(io.StringIO(user.says("export", "work-orders"))))
    assert [row["title"] for row in rows] == ["Two", "One"]
    file = user.home / "orders.ndjson"
    file.write_text("what was there before", encoding="utf-8")
    file.chmod(0o640)
    done = user.run("export", "work-orders", "-o", str(file))
    assert (done.exit_code, done.stdout) == (0, "")
    assert [json.loads(line)["title"] for line in file.read_text(encoding="utf-8").splitlines()] == [
        "Two",
        "One",
    ]
    assert (file.stat().st_mode & 0o777, [path.name for path in user.home.iterdir()]) == (
        0o640,
        ["orders.ndjson"],
    )
    user.variables["STEWARD_API_KEY"] = user.organization.new_key("assets:read")["secret"]
    user.refused(4, "export", "work-orders", "-o", str(file))
    assert "Two" in file.read_text(encoding="utf-8")
    assert "can't be written" in user.refused(
        1, "export", "assets", "-o", str(user.home / "no" / "where.csv")
    )


def test_a_pipe_is_written_and_stays_one(user: User) -> None:
    user.says("work-orders", "create", "One")
    pipe = user.home / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert user.run("export", "work-orders", "-o", str(pipe)).exit_code == 0
        assert os.read(reading, 100_000).startswith(b"id,number,title")
    finally:
        os.close(reading)
    assert pipe.is_fifo()


def test_exports_can_be_limited_to_changed_records(user: User) -> None:
    user.says("work-orders", "create", "One")
    assert "One" in user.says("export", "work-orders", "--updated-after", "-1h")
    assert "One" not in user.says("export", "work-orders", "--updated-after", "+1h")
    assert "time of their change" in user.refused(2, "export", "alerts", "--updated-after", "-1h")


def test_an_import_says_what_it_would_do_and_does_it(user: User) -> None:
    kind = user.organization.assets.type_id
    file = user.home / "assets.csv"
    file.write_text(f"name,assetTypeId,externalId\nPump 1,{kind},P-1\nPump 2,{kind},P-2\n", encoding="utf-8")
    dry = user.says("import", "assets", str(file), "--dry-run")
    assert dry == "dry run, 2 rows: 2 new, 0 changed, 0 unchanged\n"
    assert user.organization.assets.names() == []
    assert user.one("import", "assets", str(file))["created"] == 2
    assert sorted(user.organization.assets.names()) == ["Pump 1", "Pump 2"]
    again = user.run("import", "assets", "-", stdin=file.read_text(encoding="utf-8"))
    assert again.stdout == "2 rows: 0 new, 0 changed, 2 unchanged\n"


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_errors_of_a_file_are_reported_by_line(user: User, more: tuple[str, ...]) -> None:
    file = user.home / "assets.csv"
    file.write_text(f"name,assetTypeId\n,{user.organization.assets.type_id}\nPump,\n", encoding="utf-8")
    done = user.run("import", "assets", str(file), *more)
    assert done.exit_code == 1
    assert "line 2: name" in done.stderr
    assert "line 3: assetTypeId" in done.stderr
    assert user.organization.assets.names() == []


def test_items_of_a_schedule_need_their_schedule(user: User) -> None:
    file = user.home / "items.csv"
    file.write_text("code\n", encoding="utf-8")
    assert "--schedule" in user.refused(2, "import", "schedule-items", str(file))
    assert "--schedule" in user.refused(2, "import", "assets", str(file), "--schedule", "sor_1")


def test_progress_is_shown_on_a_terminal(user: User, tmp_path: Path) -> None:
    """On the terminal stands how far it is; in the file stands the export alone."""
    user.says("work-orders", "create", "One")
    ours, theirs = pty.openpty()
    with user.start("export", "work-orders", stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        out, _none = process.communicate(timeout=limit(60))
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        seen += piece
    os.close(ours)
    assert process.returncode == 0
    assert b"bytes" in seen
    assert out.startswith(b"id,number,title")
    assert b"\x1b" not in out
