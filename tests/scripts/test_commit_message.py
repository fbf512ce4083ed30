"""The form of a commit message, and the git hook that checks it."""

import subprocess
import sys
from pathlib import Path

import pytest
from scripts.commit_message import complaints, lines_of

ROOT = Path(__file__).parents[2]
WHY = "\n\nReceivers ask for it.\n"


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
    assert complaints(subject + WHY) == []


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
    assert len(complaints(f"{subject or 'x'}{WHY}")) == 1


def test_both_errors_are_reported() -> None:
    assert len(complaints("x" * 100 + WHY)) == 2


@pytest.mark.parametrize(("lines", "wrong"), [(0, 1), (1, 0), (5, 0), (6, 1)])
def test_a_body_has_one_to_five_lines(lines: int, wrong: int) -> None:
    body = "".join(f"Reason {number}.\n" for number in range(lines))
    trailer = "\nReviewed-by: Somebody <somebody@example.com>\n"
    assert len(complaints(f"web: Say who is logged in\n\n{body}{trailer}")) == wrong


def test_comments_and_empty_lines_do_not_count() -> None:
    template = "# ------------------------ >8 ------------------------\ndiff --git a/x b/x\n"
    message = f"\n# Please enter the message.\n\nweb: Say who is logged in \n\nBody.\n\n{template}"
    assert lines_of(message) == ["web: Say who is logged in", "Body."]


@pytest.mark.parametrize(
    ("message", "code"), [(f"docs: Explain it{WHY}", 0), ("explained it\n\ndocs: Explain it\n", 1)]
)
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
