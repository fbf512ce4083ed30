"""What goes wrong is said with the request's id and the next step, and each kind has its exit code."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import click.testing
import httpx
import pytest
from tests.client_cli.users import User
from tests.support.ports import closed_port
from tests.support.processes import environment
from tests.support.waiting import limit

from steward_client import Steward, StewardError
from steward_client.cli import group as client_group
from steward_client.cli.errors import EXIT_CODES
from steward_client.cli.explain import explain
from steward_client.cli.session import Access
from steward_client.errors import refusal

pytestmark = pytest.mark.long

ACCESS = Access("https://steward.example.com", "org_1", "svc_live_1", "profile house")


@pytest.mark.parametrize(
    ("status", "error", "wait", "code", "words"),
    [
        (429, "TooManyRequests", 42.0, 7, "try again in 42 s"),
        (503, "Unavailable", 5.0, 3, "try again in 5 s"),
        (412, "PreconditionFailed", None, 6, "look at it again"),
        (500, "InternalError", None, 3, "the service's log says more"),
        (413, "PayloadTooLarge", None, 1, "request req_1"),
        (422, "ValidationError", None, 1, "c: is d"),
    ],
)
def test_the_next_step(status: int, error: str, wait: float | None, code: int, words: str) -> None:
    details = [{"field": "a", "message": "is b"}, {"field": "c", "message": "is d"}]
    body = {"error": error, "message": "It is refused.", "details": details}
    explained = explain(refusal(status, body, request_id="req_1", retry_after=wait), ACCESS)
    assert (explained.message, explained.exit_code, code in EXIT_CODES) == ("It is refused.", code, True)
    assert any(words in line for line in explained.more)
    assert explained.more[-1] == "request req_1"


@pytest.mark.parametrize("status", [200, 404, 502])
def test_an_idempotent_answer_of_another_caller_is_not_replayed(status: int) -> None:
    page = refusal(status, {"message": "<!doctype html>"}, request_id=None, retry_after=None)
    explained = explain(page, ACCESS)
    assert (explained.message, explained.exit_code) == (
        f"{ACCESS.url} answered {status}, and not as Steward does",
        3,
    )


@pytest.mark.parametrize(
    ("status", "wait", "code", "words"),
    [
        (429, 42.0, 7, "try again in 42 s"),
        (429, None, 7, "A proxy in between"),
        (503, 5.0, 3, "try again in 5 s"),
        (301, None, 3, "The address leads to https://elsewhere.example; is it the one of the service?"),
    ],
)
def test_headers_of_a_proxy_answer_are_explained(
    status: int, wait: float | None, code: int, words: str
) -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        headers = {"Retry-After": f"{wait:.0f}"} if wait else {"Location": "https://elsewhere.example"}
        return httpx.Response(status, headers=headers, text="<h1>Not now</h1>")

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        steward = Steward(ACCESS.url, "key", "org_1", http_client=http, max_retries=0)
        with pytest.raises(StewardError) as raised:
            steward.organizations.get()
    explained = explain(raised.value, ACCESS)
    assert (explained.exit_code, "not as Steward does" in explained.message) == (code, True)
    assert words in explained.more[0]


def test_an_error_is_reported_once(user: User) -> None:
    said = user.refused(1, "assets", "create", "Pump", "--type", "aty_00000000000000000000000000")
    assert said.count("assetTypeId") == 1
    assert "request req_" in said


def test_missing_files_are_named(user: User) -> None:
    assert "there is no work order #99" in user.refused(5, "work-orders", "start", "99")
    assert "there is no asset with the id or externalId ERP-0" in user.refused(5, "assets", "show", "ERP-0")
    assert "request req_" in user.refused(5, "work-orders", "show", "wo_00000000000000000000000000")
    assert "there is no user with the address" in user.refused(
        5, "work-orders", "create", "Leak", "--assignee", "nobody@example.com"
    )
    assert "there is no location" in user.refused(5, "assets", "list", "--location", "C-9")
    assert "there is no resource" in user.refused(
        5, "bookings", "create", "Attic", "--from", "now", "--for", "1h"
    )


def test_a_move_that_cannot_be_made_is_a_conflict(user: User) -> None:
    user.says("work-orders", "create", "Leak")
    assert "request req_" in user.refused(6, "work-orders", "resume", "1")


def test_a_wrong_key_leads_to_the_login(user: User) -> None:
    user.variables["STEWARD_API_KEY"] = "svc_live_00000000000000000000000000000000"
    said = user.refused(4, "assets", "list")
    assert "run `steward login`" in said
    assert "request req_" in said


def test_a_service_that_is_away_is_named(user: User) -> None:
    with closed_port() as port:
        url = f"http://127.0.0.1:{port}"
        user.variables["STEWARD_URL"] = url
        said = user.refused(3, "assets", "list")
    assert url in said
    assert "is the service running there?" in said


@pytest.mark.parametrize(
    "words",
    [
        ("work-orders", "list", "--status", "Broken"),
        ("work-orders", "list", "--json", "--csv"),
        ("work-orders", "hold", "1"),
        ("work-orders", "frobnicate"),
        ("bookings", "create", "x", "--from", "soon", "--for", "1h"),
        ("frobnicate",),
        ("import", "assets", "nowhere.csv"),
    ],
)
def test_arguments_that_differ_from_the_help(user: User, words: tuple[str, ...]) -> None:
    user.refused(2, *words)


def test_an_invalid_address(user: User) -> None:
    user.variables["STEWARD_URL"] = "nonsense"
    assert "nonsense" in user.refused(2, "assets", "list")
    user.variables["STEWARD_URL"] = f"{user.organization.base_url}/app"
    assert "not as Steward does" in user.refused(3, "assets", "list")


def test_requests_that_cannot_be_sent(user: User) -> None:
    user.refused(2, "assets", "show", ".")
    user.variables["STEWARD_API_KEY"] = "ü"
    user.refused(2, "assets", "list")


def test_hints_use_the_name_that_the_program_was_called_by(user: User) -> None:
    user.forgets()
    done = click.testing.CliRunner(env={**user.variables, "STEWARD_PROFILE": None}).invoke(
        client_group, ["whoami"], prog_name="steward-client"
    )
    assert "run `steward-client login`" in done.stderr
    done = click.testing.CliRunner(env=user.variables).invoke(
        client_group, ["profiles"], prog_name="steward-client"
    )
    assert done.stderr == "there are none yet: `steward-client login` makes one\n"


def test_a_closed_output_pipe_ends_quietly(user: User) -> None:
    """A pipe holds 64 KiB; there are more lines than that."""
    for number in range(3):
        user.organization.work_orders.create(title=f"Order {number}", description="x" * 9000)
    reading, writing = os.pipe()
    with user.start("work-orders", "list", "--json", stdout=writing, stderr=subprocess.PIPE) as process:
        os.close(writing)
        os.close(reading)
        _out, said = process.communicate(timeout=limit(60))
    assert (process.returncode, said) == (141, b"")


@pytest.mark.parametrize(
    "words", [("work-orders", "list"), ("work-orders", "list", "--json"), ("export", "work-orders")]
)
def test_a_full_disk_is_one_line(user: User, words: tuple[str, ...]) -> None:
    user.organization.work_orders.create(title="Leak")
    with (
        Path("/dev/full").open("wb") as full,
        user.start(*words, stdout=full, stderr=subprocess.PIPE) as process,
    ):
        _out, said = process.communicate(timeout=limit(60))
    assert (process.returncode, said) == (
        1,
        b"steward: the output can't be written: No space left on device\n",
    )


def test_ctrl_c_ends_it_quietly(user: User) -> None:
    with user.start("events", "tail", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"Listening; Ctrl-C ends it.\n"
        process.send_signal(signal.SIGINT)
        try:
            out, said = process.communicate(timeout=limit(60))
        finally:
            process.kill()
    assert (process.returncode, out, said) == (130, b"", b"")


_WITHOUT = """import sys
sys.modules[sys.argv.pop(1)] = None
from steward.cli import main
main()"""


@pytest.mark.parametrize("missing", ["steward_client", "rich.cells", "httpx"])
def test_a_server_without_the_client_says_what_to_install(tmp_path: Path, missing: str) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", _WITHOUT, missing, *words],
            capture_output=True,
            text=True,
            env=environment(),
            cwd=tmp_path,
            timeout=limit(60),
            check=False,
        )

    login = run("login")
    assert (login.returncode, login.stdout) == (2, "")
    assert "pip install './clients/python[cli]' in a checkout" in login.stderr
    assert "Traceback" not in login.stderr
    help = run("--help")
    assert help.returncode == 0, help.stderr
    assert "Serve and operate:" in help.stdout
    assert "pip install './clients/python[cli]'" in help.stdout
