"""The form of a commit's subject, and the hook that holds people to it."""

import subprocess
import sys
from pathlib import Path

import pytest
from scripts.commit_message import complaints, subject_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "subject",
    [
        "webhooks: Keep the log of deliveries for 30 days",
        "work_orders: Let `closedAt` be the time of the last closing",
        "ci: 3.14 is tested as well",
        "a: " + "X" * 69,
        "Merge branch 'delivery'",
        'Revert "webhooks: Keep the log of deliveries for 30 days"',
        "fixup! webhooks: Keep the log of deliveries for 30 days",
    ],
)
def test_a_subject_in_form_passes(subject: str) -> None:
    assert complaints(subject) == []


@pytest.mark.parametrize(
    "subject",
    [
        "",
        "Keep the log for 30 days",
        "webhooks: keep the log for 30 days",
        "webhooks: Keep the log for 30 days.",
        "webhooks:Keep the log for 30 days",
        "webhooks:  Keep the log for 30 days",
        "Webhooks: Keep the log for 30 days",
        "webhooks(log): Keep it for 30 days",
        "a: " + "X" * 70,
    ],
)
def test_any_other_subject_has_one_thing_wrong(subject: str) -> None:
    assert len(complaints(subject)) == 1


def test_both_faults_are_told() -> None:
    assert len(complaints("x" * 100)) == 2


def test_comments_and_empty_lines_before_the_subject_are_no_subject() -> None:
    assert subject_of("\n# Please enter the message.\n\nweb: Say who is logged in \n\nBody.\n") == (
        "web: Say who is logged in"
    )


@pytest.mark.parametrize(("message", "code"), [("docs: Tell it\n", 0), ("told it\n\ndocs: Tell it\n", 1)])
def test_the_hook_exits_with_an_error_and_a_reason(tmp_path: Path, message: str, code: int) -> None:
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(message, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "scripts.commit_message", file],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert ("`area: What changed`" in done.stderr) == bool(code)
