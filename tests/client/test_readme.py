"""Every piece of Python in the client's README runs as it stands."""

import functools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from scripts.client.output import ROOT
from tests.support.organizations import Organization
from tests.support.waiting import wait_for

from steward_client import Steward

SNIPPETS = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "clients/python/README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
)


def _environment(organization: Organization) -> dict[str, str]:
    return os.environ | {
        "STEWARD_URL": organization.base_url,
        "STEWARD_API_KEY": organization.secret,
        "STEWARD_ORG": organization.id,
        "PYTHONUNBUFFERED": "1",
    }


def _snippet(word: str) -> str:
    (found,) = [text for text in SNIPPETS if word in text]
    return found


def _output(organization: Organization, snippet: str, folder: Path) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", snippet],
        cwd=folder,
        env=_environment(organization),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_there_is_a_test_for_each() -> None:
    assert len(SNIPPETS) == 4


def test_the_quickstart(organization: Organization, tmp_path: Path) -> None:
    assert _output(organization, _snippet("complete("), tmp_path) == "1 Leak under the sink Completed\n"


def test_files(organization: Organization, steward: Steward, tmp_path: Path) -> None:
    steward.work_orders.create(title="Leak")
    assert _output(organization, _snippet("export_csv"), tmp_path) == "1 Leak\n1\n"
    assert (tmp_path / "critical.csv").read_text(encoding="utf-8").startswith("id,")


def test_webhooks(organization: Organization, tmp_path: Path) -> None:
    snippet = _snippet("verify") + "\nprint(receive(b'{}', {'x-service-signature': 't=1,v1=00'}))"
    assert _output(organization, snippet, tmp_path) == "400\n"


def test_the_feed_goes_on_after_a_restart(
    organization: Organization, steward: Steward, tmp_path: Path
) -> None:
    told = tmp_path / "told.txt"
    cursor = tmp_path / "cursor.txt"
    cursor.write_text("", encoding="utf-8")
    for title in ("Leak", "Fire"):
        steward.work_orders.create(title=title)
        with told.open("ab") as sink:
            command = [sys.executable, "-c", _snippet("follow(")]
            reader = subprocess.Popen(command, cwd=tmp_path, env=_environment(organization), stdout=sink)
        try:
            # The cursor is stored once the event is dealt with; then the reader may die.
            wait_for(title, functools.partial(_said, told, f"created {title}\n"))
            wait_for("the cursor", lambda: _behind_everything(steward, cursor))
        finally:
            reader.kill()
            reader.wait()
    assert told.read_text("utf-8") == "workorder.created Leak\nworkorder.created Fire\n"


def test_a_feed_that_is_stopped_before_the_first_event_misses_none(
    organization: Organization, steward: Steward, tmp_path: Path
) -> None:
    told, cursor = tmp_path / "told.txt", tmp_path / "cursor.txt"
    command = [sys.executable, "-c", _snippet("follow(")]

    def read_until(what: str, done: Callable[[], bool]) -> None:
        with told.open("ab") as sink:
            reader = subprocess.Popen(command, cwd=tmp_path, env=_environment(organization), stdout=sink)
        try:
            wait_for(what, done)
        finally:
            reader.kill()
            reader.wait()

    read_until("the cursor", lambda: cursor.exists() and cursor.read_text("utf-8") != "")
    steward.work_orders.create(title="Leak")
    read_until("the event", lambda: _said(told, "created Leak\n"))


def _said(file: Path, words: str) -> bool:
    return words in file.read_text("utf-8")


def _behind_everything(steward: Steward, cursor: Path) -> bool:
    if not cursor.read_text("utf-8"):
        return False
    page = steward.events.list(order="asc", after=cursor.read_text("utf-8"), type="workorder.*").page()
    return page.data == []
