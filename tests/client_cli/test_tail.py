"""The change feed in the terminal."""

import contextlib
import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from tests.client_cli.users import User
from tests.support.ports import closed_port
from tests.support.waiting import limit


def test_events_are_shown_once_and_the_reader_resumes(user: User) -> None:
    file = user.home / "cursor"
    tail = ("events", "tail", "--type", "workorder.created", "--cursor-file", str(file), "--after", "start")
    for title in ("One", "Two", "Three"):
        user.says("work-orders", "create", title)
    first, second = user.json(*tail, "--count", "2")
    assert [event["data"]["object"]["title"] for event in (first, second)] == ["One", "Two"]
    [third] = user.says(*tail[:-2], "--count", "1").splitlines()
    assert "workorder.created" in third
    assert third.endswith("Three")
    # The cursor belongs to the types that it was made with.
    assert "cursor" in user.refused(1, *tail[:3], "asset.*", "--cursor-file", str(file), "--json")


def test_it_waits_for_new_events(user: User) -> None:
    user.says("work-orders", "create", "Before")
    words = ("events", "tail", "--type", "asset.*,workorder.created", "--count", "1")
    with user.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"Listening")
        user.says("work-orders", "create", "After")
        out, _said = process.communicate(timeout=limit(60))
    assert process.returncode == 0
    assert out.decode().rstrip().endswith("After")


def test_stopping_before_the_first_event_loses_none(user: User) -> None:
    file = user.home / "cursor"
    words = ("events", "tail", "--type", "workorder.created", "--cursor-file", str(file))
    with user.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"Listening")
        process.kill()
    user.says("work-orders", "create", "Meanwhile")
    with user.start(*words, "--count", "1", stdout=subprocess.PIPE) as process:
        try:
            out, _said = process.communicate(timeout=limit(60))
        finally:
            process.kill()
    assert out.decode().rstrip().endswith("Meanwhile")


def test_a_refused_cursor_is_not_stored(user: User) -> None:
    file = user.home / "cursor"
    file.write_text("start\n", encoding="utf-8")
    words = ("events", "tail", "--cursor-file", str(file))
    assert "cursor" in user.refused(1, *words, "--after", "nonsense")
    assert file.read_text(encoding="utf-8") == "start\n"


def test_a_first_request_that_fails_ends_it(user: User) -> None:
    with closed_port() as port:
        user.variables["STEWARD_URL"] = f"http://127.0.0.1:{port}"
        with user.start("events", "tail", stderr=subprocess.PIPE) as process:
            try:
                _out, said = process.communicate(timeout=limit(60))
            finally:
                process.kill()
    assert process.returncode == 3
    assert b"is the service running there?" in said


def test_a_later_outage_is_waited_out_and_logged_once(user: User) -> None:
    user.says("work-orders", "create", "One")
    found = {"data": user.organization.events(type="workorder.created"), "lastEvaluatedKey": "c2"}
    nothing = {"data": [], "lastEvaluatedKey": "c1"}
    with answering((200, nothing), (503, {}), (503, {}), (200, found)) as url:
        user.variables["STEWARD_URL"] = url
        done = user.run("events", "tail", "--count", "1")
    assert done.exit_code == 0
    assert done.stdout.rstrip().endswith("One")
    assert done.stderr.splitlines() == [
        "Listening; Ctrl-C ends it.",
        f"steward: {url} answered 503, and not as Steward does; waiting for the service",
    ]


@contextlib.contextmanager
def answering(*answers: tuple[int, Any]) -> Iterator[str]:
    """The address of a service that gives these answers, one after the other."""
    remaining = list(answers)

    class Told(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = remaining.pop(0)
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_words: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Told) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_json_has_the_whole_event(user: User) -> None:
    user.says("work-orders", "create", "One")
    event = user.one("events", "tail", "--after", "start", "--type", "workorder.*", "--count", "1")
    [known] = user.organization.events(type="workorder.created")
    assert (event["id"], event["data"]["object"]) == (known["id"], known["data"]["object"])
