"""Comments, docstrings, messages, test names, templates and docs avoid phrases that make a stranger read twice."""

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator

import pytest
from tests.architecture.source import ROOT
from tests.support.offenders import listed

# A phrase, and what to write instead.
DIALECT = {
    r"who(m)?ever": "name them: the user, the caller, the client",
    r"(is|are|was|were|be|been) told(?! (apart|from))": "gets an event, is notified, is reported, is shown",
    r"tell(s|ing)? of": "reports, sends an event about",
    r"told of": "reported, notified of",
    r"mend(s|ed|ing)?": "repairs, fixes",
    r"(is|are|was|were|be|been) heard": "is received, is accepted",
    r"(hear(s|d)?|hearing) (of|nothing|no more)": "receives, is notified of",
    r"(is|goes|went|are) deaf": "receives no notifications",
    r"what (waits|is told|is heard)": "pending work, events, notifications",
    r"(stand|stands|stood|standing) beside": "is shown next to, is stored with",
    r"look(s|ed)? after": "manages, is responsible for",
    r"nobody (may|can|has|hears|waits|looks|touches)": "make the subject what matters: users cannot, the field is empty",
    r"as good as absent": "is not found",
    r"hold(s)? (nobody|no one) up|hold(s)? up nobody": "delays no other request",
    r"lead(s)? nowhere": "is not followed, is not found",
    r"go(es)? on where": "resumes",
    r"is let in": "is admitted, can connect",
    r"(is|are) none of ours": "is unknown, belongs to someone else",
}
_PHRASES = {re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE): hint for phrase, hint in DIALECT.items()}
# Files that quote such phrases, and why.
QUOTING = {
    "tests/architecture/test_plain_english.py": "the list itself",
    "CHANGELOG.md": "releases that are out, and names that were replaced",
}
_TEXT = (".md", ".html", ".txt", ".toml", ".yaml", ".yml", ".css", ".js", ".sql", ".lua")
# Migrations stay as they were applied.
_OTHERS = (
    "node_modules/",
    "requirements",
    "package-lock",
    "docs/images/",
    "LICENSE",
    "src/steward/migrations/00",
)


def _files() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [
        name
        for name in listing.splitlines()
        if name.endswith((".py", *_TEXT)) and not name.startswith(_OTHERS) and name not in QUOTING
    ]


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """Comments, strings and test names of a Python file, with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in {tokenize.COMMENT, tokenize.STRING}:
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line
        elif token.type == tokenize.NAME and token.string.startswith("test_"):
            yield token.start[0], token.string.replace("_", " ")


def phrases_in(text: str) -> Iterator[tuple[str, str]]:
    """The phrases in a line, each with its hint."""
    for pattern, hint in _PHRASES.items():
        if found := pattern.search(text):
            yield found[0], hint


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Whoever relies on hearing proves that it hears", ["Whoever"]),
        ("the caller is told, and what waits is mended", ["is told", "mended", "what waits"]),
        ("steward_deliveries_mended_total", []),
        ("tell(port, seconds) and recommended amendments", []),
    ],
)
def test_the_check_finds_phrases(text: str, found: list[str]) -> None:
    assert sorted(phrase for phrase, _ in phrases_in(text)) == sorted(found)


def test_the_check_reads_comments_strings_and_test_names() -> None:
    source = 'def test_who_is_told():  # it is heard\n    """Whoever\n    asks"""\n'
    found = [(line, phrase) for line, text in prose_of(source) for phrase, _ in phrases_in(text)]
    assert found == [(1, "is told"), (1, "is heard"), (2, "Whoever")]
    ast.parse(source)


@pytest.mark.parametrize("folder", ["src", "tests", "docs", "bench", "soak", "scripts", "clients", ""])
def test_prose_is_plain(folder: str) -> None:
    """The empty folder holds every file of the others' siblings, such as README.md and deploy/."""
    others = ("src/", "tests/", "docs/", "bench/", "soak/", "scripts/", "clients/")
    offenders = []
    for name in _files():
        if not name.startswith(f"{folder}/" if folder else "") or (not folder and name.startswith(others)):
            continue
        source = (ROOT / name).read_text(encoding="utf-8")
        lines = prose_of(source) if name.endswith(".py") else enumerate(source.splitlines(), start=1)
        offenders += [
            f"{name}:{line} says “{phrase}”: {hint}"
            for line, text in lines
            for phrase, hint in phrases_in(text)
        ]
    assert offenders == [], listed(offenders)


def test_files_that_quote_phrases_exist() -> None:
    assert all((ROOT / name).exists() for name in QUOTING)
