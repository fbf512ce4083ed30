"""Refuses a commit message that isn't `area: What changed` in at most 72 characters and a short why: a hook of git runs it."""

import re
import sys
from pathlib import Path

LONGEST = 72
MOST_LINES = 5
_FORM = re.compile(r"[a-z][a-z0-9_ -]*: [^a-z\s].*[^.\s]")
# What git writes by itself; the last two are for a rebase to squash.
_OF_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ")
_SCISSORS = "# ------------------------ >8"
_TRAILER = re.compile(r"[A-Z][A-Za-z-]+-[Bb]y: .*")


def complaints(message: str) -> list[str]:
    """What is wrong with a commit message."""
    subject, *body = lines_of(message) or [""]
    if subject.startswith(_OF_GIT):
        return []
    found = []
    if not _FORM.fullmatch(subject):
        found.append(
            "the subject should read `area: What changed`, such as `webhooks: Keep the log for 30 days`"
        )
    if len(subject) > LONGEST:
        found.append(f"the subject has {len(subject)} characters, and {LONGEST} is the most")
    if not 1 <= len(body) <= MOST_LINES:
        found.append(f"the body has {len(body)} lines; say in one to {MOST_LINES} why the change is made")
    return found


def lines_of(message: str) -> list[str]:
    """The subject and the lines of the body, without the comments of git's template and trailers."""
    lines = (line.rstrip() for line in message.partition(_SCISSORS)[0].splitlines())
    return [line for line in lines if line and not line.startswith("#") and not _TRAILER.fullmatch(line)]


def main(file: str) -> int:
    found = complaints(Path(file).read_text(encoding="utf-8"))
    for complaint in found:
        print(f"commit message: {complaint}", file=sys.stderr)  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
