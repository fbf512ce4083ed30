"""The change feed in the terminal."""

import subprocess

from tests.client_cli.users import User


def test_events_are_shown_once_and_it_goes_on_where_it_stopped(user: User) -> None:
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
    assert "cursor" in user.refused(1, *tail[:3], "asset.*", "--after", "nonsense", "--json")


def test_it_waits_for_what_happens(user: User) -> None:
    user.says("work-orders", "create", "Before")
    words = ("events", "tail", "--type", "asset.*,workorder.created", "--count", "1")
    with user.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"Listening")
        user.says("work-orders", "create", "After")
        out, _said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.decode().rstrip().endswith("After")


def test_who_is_stopped_before_the_first_event_misses_none(user: User) -> None:
    file = user.home / "cursor"
    words = ("events", "tail", "--type", "workorder.created", "--cursor-file", str(file))
    with user.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"Listening")
        process.kill()
    user.says("work-orders", "create", "Meanwhile")
    with user.start(*words, "--count", "1", stdout=subprocess.PIPE) as process:
        try:
            out, _said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert out.decode().rstrip().endswith("Meanwhile")


def test_a_cursor_that_is_refused_is_not_remembered(user: User) -> None:
    file = user.home / "cursor"
    file.write_text("start\n", encoding="utf-8")
    words = ("events", "tail", "--cursor-file", str(file))
    assert "cursor" in user.refused(1, *words, "--after", "nonsense")
    assert file.read_text(encoding="utf-8") == "start\n"


def test_json_has_the_whole_event(user: User) -> None:
    user.says("work-orders", "create", "One")
    event = user.one("events", "tail", "--after", "start", "--type", "workorder.*", "--count", "1")
    [known] = user.organization.events(type="workorder.created")
    assert (event["id"], event["data"]["object"]) == (known["id"], known["data"]["object"])
