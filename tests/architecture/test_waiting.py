"""Tests are green on a slow machine, too: they wait for what happens, and not for a while; tests/support/waiting.py knows how."""

import ast
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from tests.architecture.source import ROOT, trees
from tests.support.offenders import listed

WAITING = "tests/support/waiting.py"
ANSWERS = "tests/support/answers.py"


class Rule(StrEnum):
    PAUSE = "a pause: wait for what has to happen, with wait_for or wait_for_async"
    POLL = "a loop that sleeps: wait_for and wait_for_async pause longer each time, and end"
    LIMIT = "a time limit for a fast machine: say limit(…)"
    DATA = "data of an answer whose status was not checked: say data_of(answer)"
    BROWSER_PAUSE = "a pause of the browser: wait for what the page has to show"


# Functions that do it all the same, and why nothing that they find depends on how fast the machine is.
_PASSING_TIME = {
    "tests/bookings/test_feeds.py::test_a_long_calendar_yields_to_other_requests.others": "counts its turns",
    "tests/faults/test_loop_watch.py::test_timing_changes_nothing.work": "a task that has waited once; how long is of no account",
    "tests/support/turns.py::counting_turns.others": "counts its turns",
    "tests/security/test_slow_clients.py::test_a_body_has_to_keep_a_minimum_rate.trickle": "the pace of a slow client; a slower one is refused, too",
    "tests/security/test_slow_clients.py::test_a_request_head_has_one_deadline_however_slowly_it_arrives.trickle": "the pace of a slow client; a slower one is refused, too",
    "tests/supervisor/test_postgres.py::test_a_stop_request_during_initialisation_is_honoured.pause": "the pause of the program itself",
    "tests/support/proxy.py::FaultProxy._pump": "a slow line, as slow as a test asks for",
    "tests/webhook_delivery/test_fairness.py::slowly.respond": "time in which one request too many would show",
    "tests/webhook_delivery/test_fairness.py::test_a_claim_that_began_before_another_committed_does_not_count_its_places_as_free": "moments of a race; what holds has to hold at each",
    "tests/webhook_delivery/test_kills.py::kill_by_turns": "any moment is as good as another",
    "tests/webhook_delivery/test_kills.py::write": "some load, and not all that the machine can bear",
    "tests/webhook_delivery/test_receivers.py::test_a_receiver_that_trickles_its_body_times_out.trickle": "the pace of a receiver that never ends",
    "tests/webhook_delivery/test_receivers.py::test_a_receiver_that_trickles_its_headers_times_out.trickle": "the pace of a receiver that never ends",
}
_LIMITS = {
    "tests/webhook_delivery/test_receivers.py::test_a_receiver_that_trickles_its_headers_times_out": "the limit is what is tried: nothing arrives before it",
}
WITH_A_REASON = {Rule.PAUSE: _PASSING_TIME, Rule.POLL: _PASSING_TIME, Rule.LIMIT: _LIMITS}


class Place(NamedTuple):
    rule: Rule
    file: str
    function: str
    line: int
    source: str

    @property
    def name(self) -> str:
        """As the tables have it."""
        return f"{self.file}::{self.function}"

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}: {self.source}"


# Where each of them may stand.
_ALLOWED = {Rule.PAUSE: WAITING, Rule.POLL: WAITING, Rule.DATA: ANSWERS}


@cache
def _places() -> tuple[Place, ...]:
    return tuple(
        place
        for file, tree in trees(ROOT / "tests").items()
        for place in _found(file.relative_to(ROOT).as_posix(), tree)
        if _ALLOWED.get(place.rule) != place.file
    )


def _found(file: str, tree: ast.Module) -> Iterator[Place]:
    aliases = _aliases(tree)
    for function, node in _within("the module", tree):
        for rule in _broken(node, aliases):
            yield Place(rule, file, function, node.lineno, ast.unparse(node).partition("\n")[0])


def _within(function: str, node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Everything below a node, with the function that it stands in: `TestGroup.test_name.helper`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr | ast.stmt):
            yield function, child
        inner = function
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = child.name if isinstance(node, ast.Module) else f"{function}.{child.name}"
        yield from _within(inner, child)


def _broken(node: ast.AST, aliases: dict[str, str]) -> Iterator[Rule]:
    match node:
        case ast.Call():
            name = _name(node.func, aliases)
            if name in {"time.sleep", "asyncio.sleep"} and not _is_zero(_first(node)):
                yield Rule.PAUSE
            if any(_is_long(limit) for limit in _limits(node, name)):
                yield Rule.LIMIT
        case ast.While() if any(name.rpartition(".")[2] == "sleep" for name in _called(node, aliases)):
            yield Rule.POLL
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="json")), slice=ast.Constant(value="data")):
            yield Rule.DATA
        case ast.Attribute(attr="wait_for_timeout"):
            yield Rule.BROWSER_PAUSE


def _limits(call: ast.Call, name: str) -> list[ast.expr]:
    """What says how long a call may take."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == "timeout"]
    if name == "asyncio.timeout":
        given += [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "delay")]
    elif name == "asyncio.wait_for":
        given += call.args[1:2]
    elif isinstance(call.func, ast.Attribute) and call.func.attr in {"wait", "join"}:
        given += call.args[:1]
    return given


def _first(call: ast.Call) -> ast.expr | None:
    return next(iter([*call.args, *(keyword.value for keyword in call.keywords)]), None)


def _is_zero(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _is_long(node: ast.expr) -> bool:
    """Whether it is written out as a number of 1 or more, also as `2 * 60` or `5 if fast else 60`."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number >= 1
        case ast.BinOp(left=ast.Constant(), right=ast.Constant()):
            return _is_long(node.left) or _is_long(node.right)
        case ast.IfExp():
            return _is_long(node.body) or _is_long(node.orelse)
    return False


def _called(loop: ast.While, aliases: dict[str, str]) -> Iterator[str]:
    """The functions that a loop calls itself, as opposed to functions that are defined in it."""
    waiting: list[ast.AST] = [loop]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield _name(node.func, aliases)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _name(node: ast.expr, aliases: dict[str, str]) -> str:
    """`asyncio.sleep`, by whatever name a file has imported it."""
    match node:
        case ast.Name():
            return aliases.get(node.id, node.id)
        case ast.Attribute():
            return f"{_name(node.value, aliases)}.{node.attr}"
    return ""


def _aliases(tree: ast.Module) -> dict[str, str]:
    """What names of a file stand for, where it has imported them under another one or without their module."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _offenders(rule: Rule) -> list[str]:
    excused = WITH_A_REASON.get(rule, {})
    return [str(place) for place in _places() if place.rule is rule and place.name not in excused]


def test_no_test_pauses_for_a_while() -> None:
    offenders = _offenders(Rule.PAUSE)
    assert offenders == [], Rule.PAUSE + listed(offenders)


def test_no_test_has_a_loop_of_its_own_that_sleeps() -> None:
    offenders = _offenders(Rule.POLL)
    assert offenders == [], Rule.POLL + listed(offenders)


def test_time_limits_are_those_of_the_machine() -> None:
    offenders = _offenders(Rule.LIMIT)
    assert offenders == [], Rule.LIMIT + listed(offenders)


def test_nothing_is_read_from_an_answer_before_its_status() -> None:
    offenders = _offenders(Rule.DATA)
    assert offenders == [], Rule.DATA + listed(offenders)


def test_no_browser_pauses_for_a_while() -> None:
    offenders = _offenders(Rule.BROWSER_PAUSE)
    assert offenders == [], Rule.BROWSER_PAUSE + listed(offenders)


def test_the_exemption_lists_name_existing_things() -> None:
    passing = {place.name for place in _places() if place.rule in {Rule.PAUSE, Rule.POLL}}
    limited = {place.name for place in _places() if place.rule is Rule.LIMIT}
    stale = sorted([*(_PASSING_TIME.keys() - passing), *(_LIMITS.keys() - limited)])
    assert stale == [], listed(stale)


_SAMPLE = """
import asyncio as aio
import time
from asyncio import sleep, timeout
from tests.support.waiting import limit, wait_for

async def test_pauses():
    time.sleep(0.1)  # PAUSE
    await sleep(SECONDS)  # PAUSE
    await aio.sleep(delay=1 if fast else 2)  # PAUSE
    await sleep(0)
    clock.sleep(5)

class TestLoops:
    def test_loop(self):
        while not ready():  # POLL
            time.sleep(0)
        while not ready():
            def pause():
                time.sleep(0)
        for _ in range(10):
            time.sleep(0)

async def test_limits():
    async with timeout(5):  # LIMIT
        await aio.wait_for(work(), 1.5)  # LIMIT
    async with aio.timeout(delay=2 * 60):  # LIMIT
        process.wait(10)  # LIMIT
        process.communicate(timeout=10)  # LIMIT
        thread.join(10 if fast else 60)  # LIMIT
    expect(page).to_be_visible(timeout=5_000)  # LIMIT
    async with timeout(limit(5)):
        await aio.wait_for(work(), timeout=limit(5))
    process.wait(0.5)
    process.wait(timeout=None)
    ", ".join(names)
    wait_for("a thing", 5)

def test_answers(page):
    client.get("/").json()["data"]  # DATA
    client.get("/").json()["errors"]
    page.wait_for_timeout(100)  # BROWSER_PAUSE
"""


def test_the_check_finds_forbidden_pauses() -> None:
    marked = [(number, line.partition("# ")[2]) for number, line in enumerate(_SAMPLE.splitlines(), 1)]
    found = sorted((place.line, place.rule.name) for place in _found("sample.py", ast.parse(_SAMPLE)))
    assert found == [(number, mark) for number, mark in marked if mark]


def test_a_log_position_names_its_function() -> None:
    functions = {place.line: place.function for place in _found("sample.py", ast.parse(_SAMPLE))}
    assert functions[8] == "test_pauses"
    assert functions[16] == "TestLoops.test_loop"
