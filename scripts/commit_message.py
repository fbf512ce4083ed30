"""Refuses a commit whose subject isn't `area: What changed`, or longer than 72 characters: a hook of git runs it."""

import re
import sys
from pathlib import Path

LONGEST = 72
_FORM = re.compile(r"[a-z][a-z0-9_ -]*: [^a-z\s].*[^.\s]")
# What git writes by itself; the last two are for a rebase to take in.
_OF_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ")


def complaints(subject: str) -> list[str]:
    """What is wrong with the first line of a commit message."""
    if subject.startswith(_OF_GIT):
        return []
    found = []
    if not _FORM.fullmatch(subject):
        found.append("it should read `area: What changed`, such as `webhooks: Keep the log for 30 days`")
    if len(subject) > LONGEST:
        found.append(f"it has {len(subject)} characters, and {LONGEST} is the most")
    return found


def subject_of(message: str) -> str:
    """The first line that is neither empty nor a comment of git's template."""
    lines = (line.rstrip() for line in message.splitlines() if not line.startswith("#"))
    return next((line for line in lines if line), "")


def main(file: str) -> int:
    subject = subject_of(Path(file).read_text(encoding="utf-8"))
    found = complaints(subject)
    for complaint in found:
        print(f"commit message: {complaint}: {subject!r}", file=sys.stderr)  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
