"""What a page tells people to type or to look for is there: commands, options, settings, metrics, targets."""

import re
from collections.abc import Iterator
from functools import cache

import click
from scripts.generate.commands import all_commands
from scripts.generate.metrics import known_metrics
from scripts.site.navigation import ROOT
from tests.docs.pages import Page, all_pages
from tests.support.offenders import listed

from steward.settings import SETTINGS
from steward.settings.environment import NOT_SETTINGS

# The CHANGELOG mentions former names.
_PAGES = [page for page in all_pages() if page.name != "CHANGELOG.md"]
_CODE = re.compile(r"`([^`\n]+)`")
_VARIABLE = re.compile(r"\bSTEWARD_[A-Z0-9_]*[A-Z0-9]\b(?!_)")
# Where a shell looks for a command: not what is said to another program.
_COMMAND = re.compile(
    r"(?:^ *|[|&;(] *|\b(?:sudo|exec|ExecStart=|Exec)(?: -u \w+)? *|\b[A-Z_]+=\S* )(?:[\w./-]*/)?steward(?:-client)? +([a-z][^\n|;&)#>]*)",
    re.MULTILINE,
)
_METRIC = re.compile(r"\bsteward_[a-z_]+\b(?![./(])")
_TARGET = re.compile(r"(?:^|(?<=[\s(&;]))make +([a-z][a-z-]*)\b", re.MULTILINE)
_SUFFIXES = re.compile(r"_(bucket|sum|count)$")
# Not metrics: the package, and what begins like it.
_PACKAGE = re.compile(r"^steward_(client|mcp)")


def _code(page: Page) -> Iterator[str]:
    """What is set as code, in the text and in the blocks that are commands."""
    yield from _CODE.findall(page.prose)
    for block in page.blocks:
        if block.language in {"sh", "systemd", "dockerfile", "yaml", "ini"}:
            yield re.sub(r"\\\n\s*", " ", block.code)


@cache
def _commands() -> dict[str, click.Command]:
    return dict(all_commands())


@cache
def _variables() -> set[str]:
    """Settings, and what our own tests, benchmarks and clients read."""
    known = {setting.variable for setting in SETTINGS} | set(NOT_SETTINGS)
    ours = [ROOT / "Makefile", *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")]
    ours += [*(ROOT / "scripts").rglob("*.py"), *(ROOT / "clients").rglob("*.py")]
    for file in ours:
        if "node_modules" not in file.parts:
            known |= set(_VARIABLE.findall(file.read_text(encoding="utf-8")))
    return known


def _in_code(pattern: re.Pattern[str]) -> Iterator[tuple[Page, str]]:
    """What is found in the code of all pages, with its page."""
    for page in _PAGES:
        for found in sorted({found for text in _code(page) for found in pattern.findall(text)}):
            yield page, found


def test_every_variable_is_read_by_something() -> None:
    unread = [
        f"{page}: {name}"
        for page in _PAGES
        for name in sorted(set(_VARIABLE.findall(page.text)) - _variables())
    ]
    assert unread == [], listed(unread)


def test_every_metric_is_shown() -> None:
    known = {name for name, *_ in known_metrics()}
    unknown = [
        f"{page}: {name}"
        for page, name in _in_code(_METRIC)
        if not _PACKAGE.match(name) and not {name, _SUFFIXES.sub("", name)} & known
    ]
    assert unknown == [], listed(unknown)


def test_every_documented_target_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    unknown = [f"{page}: make {name}" for page, name in _in_code(_TARGET) if name not in targets]
    assert unknown == [], listed(unknown)


def test_every_command_and_option_exists() -> None:
    wrong = [
        f"{page}: {call}: {fault}" for page, call in _in_code(_COMMAND) if (fault := _fault(call)) is not None
    ]
    assert wrong == [], listed(wrong)


def _fault(call: str) -> str | None:
    """What is wrong with `org create NAME --plan P`, if anything is."""
    words = re.sub(r"[\[\]'\"]", " ", call).split()
    path = ["steward"]
    for word in words:
        if not any(
            known == (longer := " ".join([*path, word])) or known.startswith(f"{longer} ")
            for known in _commands()
        ):
            break
        path.append(word)
    name = " ".join(path)
    command = _commands().get(name)
    if command is None:
        return (
            None
            if (len(path) > 1 and len(words) == len(path) - 1) or "…" in call
            else f"no command {name} {words[len(path) - 1]}"
        )
    given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    unknown = given - known - {"--help", "-h"}
    return f"{name} has no {', '.join(sorted(unknown))}" if unknown else None
