"""No rule stalls the service: over the largest input that its limits allow, each stays within a budget and grows no faster than
its input does. Costs are counted in lines of ours that run, so that they are the same on every machine."""

import asyncio
import datetime as dt
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import asyncpg
import msgspec
import pytest
from tests.security import largest_inputs as big
from tests.support.answers import data_of
from tests.support.line_counter import MAX_CPU_SECONDS, Work, cpu_seconds, lines_of
from tests.support.organizations import Organization
from tests.support.turns import counting_turns

from steward.alert_rules.evaluation import Situation, evaluate, reevaluate
from steward.alert_rules.model import MAX_RULES_PER_SCOPE
from steward.alert_rules.rule_index import RuleIndex
from steward.assets.model import NewAsset
from steward.bookings.clashes import MAX_SEARCHED, clash
from steward.bookings.feeds.icalendar import entry, text
from steward.bookings.rules import availability
from steward.bookings.slots import BookingConflict, BusySlot, Slot
from steward.decks.rules import new_cards
from steward.forms.rules import problems_of
from steward.forms.submissions.rules import check_answers
from steward.ingest.decoding import decode_batch, decode_items
from steward.ingest.lorawan.model import ChirpStackEvent
from steward.ingest.lorawan.rules import chirpstack_uplink
from steward.ingest.model import UnreadableItem
from steward.ingest.mqtt.packets import unpack
from steward.kit.db import search
from steward.kit.db.cursors import Cursors
from steward.kit.domain.csv_rows import read_rows
from steward.kit.domain.problems import Invalid, Unavailable
from steward.kit.domain.recurrence.dates import MAX_DAYS, dates
from steward.kit.domain.recurrence.rule import parse
from steward.kit.http.decoding import read_body, read_query, read_text
from steward.kit.http.response import problem
from steward.kit.security.encryption import Encryption
from steward.kit.security.passwords import verify_password
from steward.sor_quotations.pricing import priced
from steward.sor_schedules.items.model import NewRateItem
from steward.telemetry.model import HistoryQuery
from steward.telemetry.rules import requested_keys
from steward.telemetry.series import extended, layout
from steward.tokens.model import Login
from steward.webhooks.subscription import require_types, subscribed_types
from steward.work_orders.checklist import checklist
from steward.work_orders.model import NewWorkOrder, WorkOrderQuery
from steward.work_orders.sla.business_hours import WEEKDAYS, WeeklyHours, after, between
from steward.work_orders.sla.rules import check_policy
from steward.work_orders.sla.working_time import Span, WorkingTime

Rule = Callable[[big.Share], Work]

_CURSORS = Cursors(Encryption(bytes(32)))
_YEAR = 366 * 86_400
_WEEKS = ",".join(str(week) for week in range(1, 54))


def _situation(at: int) -> Situation:
    return Situation({f"k{n}": 1.0 for n in range(200)}, at, 0, 86_400)


def _judge(rules: big.Share, *, met: bool) -> Work:
    book = big.compiled(rules, met=met)
    before, now = _situation(big.NOW), _situation(big.NOW + 1)
    return lambda: evaluate(book, {}, before, now, big.NOW + 1, new_alert_id=lambda: "alt_1")


def _applied(rules: big.Share) -> Work:
    book = big.compiled(rules)
    return lambda: reevaluate(book, {}, _situation(big.NOW), big.NOW, new_alert_id=lambda: "alt_1")


async def _decode_each(body: bytes) -> list[Any]:
    return await decode_items(decode_batch(body))


def _body(model: type[msgspec.Struct], made: Callable[[big.Share], str]) -> Rule:
    def rule(share: big.Share) -> Work:
        body = made(share).encode()
        return lambda: read_body(model, "application/json", body)

    return rule


def _csv(model: type[msgspec.Struct], made: Callable[[big.Share], str]) -> Rule:
    def rule(share: big.Share) -> Work:
        body = made(share).encode()[: big.BODY]
        return lambda: read_rows(read_text("text/csv", body), model)

    return rule


def _query(made: Callable[[big.Share], str]) -> Rule:
    def rule(share: big.Share) -> Work:
        string = made(share)
        return lambda: getattr(read_query, "__wrapped__", read_query)(WorkOrderQuery, string)

    return rule


def _uplink(share: big.Share, value: str) -> Work:
    event = msgspec.json.decode(big.uplink(share, value), type=ChirpStackEvent)
    return lambda: chirpstack_uplink(event)


def _layouts(share: big.Share) -> Work:
    known = layout(f"k{n}" for n in range(100))
    brought = [{f"k{n}": 1.0 for n in range(100 + at % 90)} for at in range(big.part(share, 1000))]
    return lambda: extended(known, brought)


def _clash(share: big.Share) -> Work:
    following = big.taken(share, MAX_SEARCHED)
    wanted = Slot(big.NOW, big.NOW + 3600)
    conflict = BookingConflict(
        booking_id="bkg_0",
        resource_id="rsc_1",
        start_time=big.NOW,
        end_time=big.NOW + 60,
        wanted_start_time=big.NOW,
    )
    return lambda: clash(big.RESOURCE_WITH_BUFFER, [wanted], [conflict], following, big.NOW)


def _recurring(rule: str) -> Rule:
    """Over a share of the days that are looked through at most."""

    def over(share: big.Share) -> Work:
        first, parsed = dt.date(2026, 1, 1), parse(rule)
        last = first + dt.timedelta(days=big.part(share, MAX_DAYS))
        return lambda: list(dates(parsed, first, last))

    return over


def _on(made: Callable[[big.Share], Any], rule: Callable[[Any], object]) -> Rule:
    """The rule over what is made for a share; making it doesn't count."""
    return lambda share: partial(rule, made(share))


def _deadline(calendar: WeeklyHours) -> int | None:
    return after(calendar, big.NOW, 525_600 * 60)


def _compiled(calendar: WeeklyHours) -> WorkingTime:
    week = [[Span(0, 60), Span(120, 180)] * len(getattr(calendar, day)) for day in WEEKDAYS]
    return WorkingTime(week, calendar.holidays)


def _free(taken: list[BusySlot]) -> object:
    return availability(big.RESOURCE_WITH_BUFFER, Slot(big.NOW, big.NOW + 62 * 86_400), taken)


def _opened(cursor: str) -> object:
    return _CURSORS.open(big.TENANT, "assets", {"q": cursor}, cursor)


# name → (the rule over a share of its largest input, the most lines that the largest may run).
RULES: dict[str, tuple[Rule, int]] = {
    "deadline": (_on(big.calendar, _deadline), 730),
    "deadline that is never reached": (_on(lambda _s: big.ONE_MINUTE, _deadline), 2_100),
    "working time": (
        lambda s: lambda: between(big.calendar(1), big.NOW, big.NOW + int(s * 30 * _YEAR)),
        1_900,
    ),
    "working time of a calendar": (_on(big.calendar, _compiled), 7_900),
    "SLA policy": (_on(big.policy, lambda policy: check_policy(policy, big.NOW)), 6_100),
    "alert rules, none met": (lambda s: _judge(s, met=False), 12_000),
    "alert rules, all met": (lambda s: _judge(s, met=True), 16_000),
    "alert rules, changed": (_applied, 16_000),
    "alert rules of an organization": (_on(big.all_rules, RuleIndex), 12_000),
    "readings of one asset": (big.readings, 1_900_000),
    "readings": (_on(lambda s: big.batch(s, "1"), decode_batch), 30),
    "readings, wrong": (_on(lambda s: big.batch(s, '"x"'), _decode_each), 270_000),
    "readings, not numbers": (_on(lambda s: big.batch(s, "NaN"), _decode_each), 270_000),
    "readings, keys": (_layouts, 5_300),
    "uplink of text": (lambda s: _uplink(s, '"x"'), 14_000),
    "uplink of numbers": (lambda s: _uplink(s, "1"), 13_000),
    "form": (_on(big.form, problems_of), 4_800),
    "form, wrong": (_on(big.wrong_form, problems_of), 6_600),
    "answers": (_on(big.answers, partial(check_answers, big.form(1))), 110_000),
    "answers, one long": (_on(big.one_long_answer, partial(check_answers, big.form(1))), 2_100),
    "answers, unknown": (_on(big.unknown_answers, partial(check_answers, big.form(1))), 2_800),
    "quotation": (_on(big.lines, lambda lines: priced(lines, {})), 30_000),
    "quotation, wrong": (_on(big.wrong_lines, lambda lines: priced(lines, {})), 37_000),
    "availability": (_on(big.taken, _free), 76_000),
    "clash": (_clash, 3_800),
    "recurrence, every day": (_recurring("FREQ=DAILY;COUNT=1"), 100_000),
    "recurrence, no day": (_recurring("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=1"), 100_000),
    "recurrence, no day of any": (_recurring("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=1"), 100_000),
    "recurrence, many parts": (
        _recurring(
            f"FREQ=YEARLY;BYWEEKNO={_WEEKS};BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTHDAY=31;BYSETPOS=366;COUNT=1"
        ),
        100_000,
    ),
    "calendar feed": (_on(big.entries, lambda entries: [entry(one) for one in entries]), 190_000),
    "calendar text": (_on(lambda s: ";\n" * big.part(s, 5_000), text), 30),
    "deck": (_on(big.cards, new_cards), 1_100),
    "checklist": (_on(big.checklist, lambda items: checklist([], items, "usr_1", 1)), 2_000),
    "CSV": (_csv(NewAsset, big.asset_rows), 270_000),
    "CSV, wrong rows": (_csv(NewAsset, big.bad_rows), 490_000),
    "CSV, wide": (_csv(NewAsset, big.wide_rows), 780_000),
    "CSV, many columns": (_csv(NewAsset, big.many_columns), 60),
    "CSV, empty lines": (_csv(NewAsset, lambda s: big.filled(s, "\n", before="name,assetTypeId\n")), 160_000),
    "CSV, one cell": (
        _csv(NewRateItem, lambda s: big.filled(s, "x", before='code,description,unit,rateCents\n"')),
        140,
    ),
    "search, text": (_on(big.ideographs, partial(search.grams, big.TENANT)), 180_000),
    "search, marks": (_on(big.marks, search.fold), 380_000),
    "search, marks in disguise": (_on(big.disguised_marks, search.fold), 380_000),
    "search, words": (_on(big.words, partial(search.query, big.TENANT)), 710),
    "search, too many words": (_on(big.marks, partial(search.query, big.TENANT)), 40),
    "cursor": (_on(lambda s: "A" * big.part(s, big.URL), _opened), 40),
    "subscription": (_on(lambda s: ["asset.*"] * big.part(s, 100), subscribed_types), 48_000),
    "subscription, unknown": (
        _on(lambda s: ["x" * 60] * big.part(s, 100), partial(require_types, "events")),
        1_500,
    ),
    "history keys": (
        _on(
            lambda s: HistoryQuery(key=big.filled(s, "k,", big.URL, after="k")),
            lambda query: requested_keys(query, [], []),
        ),
        40,
    ),
    "query, repeated": (
        _query(lambda s: "&".join(f"a{n}=" for n in range(big.part(s, big.URL // 7))) + "&z=&z="),
        12_000,
    ),
    "query, long": (_query(lambda s: big.filled(s, "%C3%BC", big.URL, before="q=")), 40),
    "body, unknown field": (
        _body(Login, lambda s: big.filled(s, " - at `$", before='{"', after='\\n":1}')),
        150,
    ),
    "body, unknown field in quotes": (
        _body(Login, lambda s: big.filled(s, "field `", before='{"', after='":1}')),
        150,
    ),
    "body, many fields": (
        _body(Login, lambda s: "{" + ",".join(f'"f{n}":1' for n in range(big.part(s, 80_000))) + "}"),
        1_000,
    ),
    "body, wrong choice": (
        _body(
            NewWorkOrder, lambda s: big.filled(s, " - at `$", before='{"title":"x","priority":"', after='"}')
        ),
        250,
    ),
    "body, deep": (_body(NewAsset, lambda s: big.filled(s, "[", before='{"metadata":{"a":')), 40),
    "body, backslashes": (
        _body(Login, lambda s: big.filled(s, "\\", before='{"a":"', after='u0000"}')),
        40,
    ),
    "body, U+0000": (_body(Login, lambda s: big.filled(s, "\\\\u0000", before='{"a":"', after='"}')), 150),
    "body, long number": (
        _body(NewAsset, lambda s: big.filled(s, "9", before='{"metadata":{"a":', after="}}")),
        60,
    ),
    "MQTT, small packets": (
        _on(lambda s: b"\xd0\x00" * big.part(s, 10_000), lambda packets: unpack(packets, 1 << 20)),
        230_000,
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", RULES)
def test_a_rule_costs_no_more_than_its_budget(name: str) -> None:
    rule, budget = RULES[name]
    # What C code does takes the time that it takes; in steps, so that a failure comes before the longest wait.
    for share in (1 / 64, 1 / 16, 1 / 4, 1):
        assert cpu_seconds(rule(share)) < MAX_CPU_SECONDS, f"{name}: {share} of the largest input"
    half, whole = (lines_of(rule(share)) for share in (0.5, 1))
    assert whole <= budget, f"{half} lines for half of it, {whole} for all"
    # Twice as much for twice the input, and a little for what is done once.
    assert whole <= 2.1 * half + 100


@pytest.mark.parametrize(
    "name", ["body, unknown field", "body, wrong choice", "body, unknown field in quotes"]
)
def test_long_values_are_not_echoed_in_full(name: str) -> None:
    rule, _ = RULES[name]
    with pytest.raises(Invalid) as refused:
        rule(1)()
    assert len(problem(refused.value, "req_1").body) < 10_000


async def test_a_long_file_yields_to_other_requests() -> None:
    rows, turns = await counting_turns(read_rows(big.wide_rows(1), NewAsset))
    assert len(rows.by_line) > 4_000
    assert turns >= 2


async def test_a_thousand_wrong_readings_yield_to_other_requests() -> None:
    items, turns = await counting_turns(_decode_each(big.batch(1, '"x"')))
    assert all(isinstance(item, UnreadableItem) for item in items)
    assert turns >= 2


@pytest.mark.long
async def test_concurrent_logins_use_two_threads_and_a_bounded_queue() -> None:
    checks = [verify_password(["not a hash"], "guess") for _ in range(150)]
    found = await asyncio.gather(*checks, return_exceptions=True)
    assert found.count([False]) == 100
    assert sum(isinstance(one, Unavailable) for one in found) == 50
    assert sum(thread.name.startswith("password") for thread in threading.enumerate()) <= 2


def test_numbers_of_any_length_are_refused(organization: Organization) -> None:
    kind = data_of(organization.api.get(f"/v2{organization.path}/asset-types"))[0]["id"]
    asset = organization.created("assets", {"name": "Sensor", "assetTypeId": kind})
    for digits in (400, 5_000, 900_000):
        body = b'{"values":{"a":%s}}' % (b"9" * digits)
        answer = organization.api.post(
            f"{organization.path}/assets/{asset['id']}/telemetry",
            content=body,
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code in {400, 422}, (digits, answer.text[:300])
        assert len(answer.content) < 10_000


def test_the_number_of_rules_per_asset_type_is_bounded(organization: Organization) -> None:
    kind = data_of(organization.api.get(f"/v2{organization.path}/asset-types"))[0]["id"]
    rule = {"name": "Silent", "severity": "Warning", "assetTypeId": kind, "noDataSeconds": 60}
    made = organization.created("alert-rules", rule)

    async def copy() -> None:
        """As many more of it as there may be."""
        connection = await asyncpg.connect(organization.database_url)
        columns = [
            row[0]
            for row in await connection.fetch(
                "SELECT column_name FROM information_schema.columns WHERE table_name = 'alert_rules'"
            )
        ]
        taken = ", ".join("'arl_copy_' || n" if name == "id" else name for name in columns)
        await connection.execute(
            f"INSERT INTO alert_rules ({', '.join(columns)}) SELECT {taken} FROM alert_rules, generate_series(2, $3) n"
            " WHERE organization_id = $1 AND id = $2",
            organization.id,
            made["id"],
            MAX_RULES_PER_SCOPE,
        )
        await connection.close()

    asyncio.run(copy())
    answer = organization.api.post(f"{organization.path}/alert-rules", json=rule)
    assert answer.status_code == 409, answer.text
    assert "at most 50" in answer.json()["message"]
    other = data_of(organization.api.get(f"/v2{organization.path}/asset-types"))[1]["id"]
    assert (
        organization.api.post(
            f"{organization.path}/alert-rules", json={**rule, "assetTypeId": other}
        ).status_code
        == 201
    )
