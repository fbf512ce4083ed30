"""`steward user set-password`: where the password comes from, and what it ends."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.terminal import at_a_terminal
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Organization
from tests.support.processes import environment
from tests.support.waiting import limit

NEW = "a password from the operator"


def arguments(organization: Organization, *more: str) -> list[str]:
    words = ("user", "set-password", organization.id, organization.email)
    return [sys.executable, "-m", "steward", *words, *more, "--database-url", organization.database_url]


def run(
    organization: Organization, directory: Path, *more: str, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        arguments(organization, *more),
        input=stdin,
        capture_output=True,
        env=environment(),
        cwd=directory,
        timeout=limit(60),
        check=False,
    )


def opens(organization: Organization, password: str) -> bool:
    return BrowserClient(organization.base_url).log_in(organization.email, password).status_code == 303


def test_the_password_comes_from_a_file_and_ends_every_session(
    organization: Organization, tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text(f"{NEW}\nwhatever follows\n", encoding="utf-8")
    person = BrowserClient(organization.base_url)
    person.log_in(organization.email)
    done = run(organization, tmp_path, "--password-file", str(file))
    assert done.returncode == 0, done.stderr
    assert NEW.encode() not in done.stdout + done.stderr
    assert person.get("/app").status_code == 303
    assert (opens(organization, NEW), opens(organization, PASSWORD)) == (True, False)


def test_the_password_comes_from_standard_input(organization: Organization, tmp_path: Path) -> None:
    done = run(organization, tmp_path, "--password-file", "-", stdin=f"{NEW}\r\n".encode())
    assert done.returncode == 0, done.stderr
    assert opens(organization, NEW)


def test_the_password_is_asked_for_twice_on_a_terminal(organization: Organization, tmp_path: Path) -> None:
    code, said = at_a_terminal(arguments(organization), tmp_path, [NEW, NEW])
    assert code == 0, said
    assert NEW not in said
    assert opens(organization, NEW)


@pytest.mark.parametrize(
    ("more", "stdin", "words"),
    [
        ((), b"", "no terminal"),
        (("--password-file", "-"), b"short\n", "the password must have at least 8 characters"),
        (("--password-file", "-"), b"x" * 201, "at most 200 characters"),
        (("--password-file", "-"), b"\xff\xfe not text", "not UTF-8"),
        (("--password-file", "-", "--password", NEW), NEW.encode(), "not both"),
    ],
)
def test_invalid_passwords_are_refused_in_one_line(
    organization: Organization, tmp_path: Path, more: tuple[str, ...], stdin: bytes, words: str
) -> None:
    done = run(organization, tmp_path, *more, stdin=stdin)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert words in done.stderr.decode()
    assert opens(organization, PASSWORD)


def test_a_file_that_is_not_there_is_named(organization: Organization, tmp_path: Path) -> None:
    done = run(organization, tmp_path, "--password-file", "nowhere.txt")
    assert done.returncode != 0
    assert b"nowhere.txt" in done.stderr


def test_somebody_unknown_is_named(organization: Organization, tmp_path: Path) -> None:
    command = arguments(organization, "--password", NEW)
    command[command.index(organization.email)] = "nobody@example.com"
    done = subprocess.run(
        command, capture_output=True, env=environment(), cwd=tmp_path, timeout=limit(60), check=False
    )
    assert done.returncode == 1
    assert f"{organization.id} has no user nobody@example.com" in done.stderr.decode()
