"""The largest inputs that the limits of each rule let through, or a share of them."""

import json
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from steward.alert_rules import model as alert_rules
from steward.alert_rules.model import (
    MAX_RULES,
    MAX_RULES_PER_SCOPE,
    Condition,
    ConditionMatch,
    ConditionOperator,
)
from steward.alert_rules.rule_index import RuleIndex
from steward.alert_rules.state_machine import CompiledRule
from steward.assets.model import AssetStatus
from steward.bookings.feeds.model import MAX_ENTRIES, Entry
from steward.bookings.resources.model import EXAMPLE as RESOURCE
from steward.bookings.rules import MAX_LISTED
from steward.bookings.slots import BusySlot
from steward.decks.model import MAX_CARDS, MAX_CONFIGURATION_BYTES, CardLayout, CardType, NewCard
from steward.forms.model import FieldType, FormField
from steward.ingest.devices.model import Device
from steward.ingest.model import MAX_READINGS, MAX_VALUES, Decision, Reading
from steward.ingest.rules import apply_reading
from steward.kit.db.search import MAX_QUERY_LENGTH
from steward.kit.domain.fields import Priority
from steward.kit.security.caller import TenantId
from steward.sor_quotations.model import MAX_LINES, NewLineItem
from steward.work_orders.model import NewChecklistItem
from steward.work_orders.sla.business_hours import (
    MAX_HOLIDAYS,
    MAX_HOURS_A_DAY,
    WEEKDAYS,
    OpeningHours,
    WeeklyHours,
)
from steward.work_orders.sla.model import NewSlaPolicy, SlaTarget

BODY = 1024 * 1024
URL = 64 * 1024
TENANT = TenantId("org_00064a1b2c3d4e5f60718293a4b5")
NOW = 1_767_225_600
MAX_TEXT_LENGTH = 10_000

Share = float


def part(share: Share, of: int) -> int:
    return max(1, int(of * share))


def filled(share: Share, unit: str, of: int = BODY, *, before: str = "", after: str = "") -> str:
    """So many of a unit as there is room for."""
    return before + unit * ((part(share, of) - len(before) - len(after)) // len(unit.encode())) + after


def calendar(share: Share) -> WeeklyHours:
    """Half an hour here and there, and a holiday every third day for years."""
    hours = tuple(
        OpeningHours(f"{2 * n:02}:00", f"{2 * n:02}:30") for n in range(part(share, MAX_HOURS_A_DAY))
    )
    days = tuple(date(2026, 1, 1) + timedelta(days=3 * n) for n in range(part(share, MAX_HOLIDAYS)))
    return WeeklyHours("Europe/Berlin", **dict.fromkeys(WEEKDAYS, hours), holidays=days)


ONE_MINUTE = WeeklyHours("Europe/Berlin", monday=(OpeningHours("08:00", "08:01"),))


def policy(share: Share) -> NewSlaPolicy:
    targets = dict.fromkeys(Priority, SlaTarget(525_600, 525_600))
    return NewSlaPolicy(targets=targets, calendar=calendar(share))


def rules(
    share: Share, count: int = 2 * MAX_RULES_PER_SCOPE, *, met: bool = True
) -> list[alert_rules.AlertRule]:
    """Each looks at its last condition only to find out."""
    last = Condition(key="k19", operator=ConditionOperator.LT if met else ConditionOperator.GT, value=10**9)
    conditions = [Condition(key=f"k{n}", operator=ConditionOperator.GT, value=10**9) for n in range(19)] + [
        last
    ]
    return [
        replace(
            alert_rules.EXAMPLE,
            id=f"arl_{n}",
            conditions=conditions,
            match=ConditionMatch.ANY,
            for_seconds=0,
            updated=0,
        )
        for n in range(part(share, count))
    ]


def compiled(share: Share, *, met: bool = True) -> Sequence[CompiledRule]:
    return RuleIndex(rules(share, met=met)).for_asset("ast_1", alert_rules.EXAMPLE.asset_type_id or "")


def all_rules(share: Share) -> list[alert_rules.AlertRule]:
    return rules(share, MAX_RULES)


DEVICE = Device(
    organization_id=TENANT,
    id="ast_1",
    name="Sensor",
    asset_type_id="aty_1",
    location_id=None,
    status=AssetStatus.NORMAL,
    connection_status=True,
    is_online=True,
    last_telemetry={f"k{n}": 1.5 for n in range(MAX_VALUES)},
    last_seen=NOW - 10_000,
    created=0,
    keep_alive=86_400,
    is_iot_device=True,
    series=1,
    layout=1,
    connectivity_due=None,
    rules_due=None,
    rule_states={},
    has_listeners=True,
)


def readings(share: Share) -> Callable[[], Decision]:
    """All of one asset, each with a subscriber, against the most rules."""
    taken = [
        Reading(TENANT, "ast_1", NOW - 5000 + n, {f"k{key}": float(n) for key in range(100)})
        for n in range(part(share, MAX_READINGS))
    ]
    # A tenth of the rules: what all of them cost is counted by itself.
    against = compiled(0.1)

    def take() -> Decision:
        decision = Decision(DEVICE, DEVICE)
        for reading in taken:
            apply_reading(decision, reading, against, NOW)
        return decision

    return take


def batch(share: Share, value: str) -> bytes:
    values = ",".join(f'"k{n}":{value}' for n in range(80))
    item = f'{{"assetId":"a","values":{{{values}}}}}'
    count = min(part(share, MAX_READINGS), (part(share, BODY) - 20) // (len(item) + 1))
    return ('{"readings":[' + ",".join([item] * count) + "]}").encode()


def uplink(share: Share, value: str = '"x"') -> bytes:
    fields = ",".join(f'"k{n}":{value}' for n in range(part(share, 75_000)))
    return f'{{"deviceInfo":{{"devEui":"a"}},"object":{{{fields}}}}}'.encode()


def form(share: Share) -> list[FormField]:
    options = [f"{n:03}" for n in range(200)]
    return [
        FormField(key=f"k{n}", label="Which", type=FieldType.MULTI_SELECT, options=options)
        for n in range(part(share, 200))
    ]


def wrong_form(share: Share) -> list[FormField]:
    return [
        FormField(
            key="same", label="Which", type=FieldType.SELECT, options=["a", "a"], min=3, max=1, required=True
        )
        for _ in range(part(share, 200))
    ]


def answers(share: Share) -> dict[str, Any]:
    """All options of all questions, which is about a request."""
    return {f"k{n}": [f"{option:03}" for option in range(200)] for n in range(part(share, 200))}


def one_long_answer(share: Share) -> dict[str, Any]:
    return {"k0": ["199"] * part(share, BODY // 6)}


def unknown_answers(share: Share) -> dict[str, Any]:
    return {f"z{n}": None for n in range(part(share, 500))}


def lines(share: Share) -> list[NewLineItem]:
    body = [{"quantity": 12.5, "description": "d", "unit": "u", "rateCents": 1}] * part(share, MAX_LINES)
    return msgspec.json.decode(json.dumps(body), type=list[NewLineItem])


def wrong_lines(share: Share) -> list[NewLineItem]:
    return msgspec.json.decode(json.dumps([{"quantity": 0}] * part(share, MAX_LINES)), type=list[NewLineItem])


def taken(share: Share, most: int = MAX_LISTED) -> list[BusySlot]:
    return [BusySlot(NOW + 500 * n, NOW + 500 * n + 60, f"bkg_{n}") for n in range(part(share, most))]


RESOURCE_WITH_BUFFER = replace(RESOURCE, buffer_minutes=5)


def entries(share: Share) -> list[Entry]:
    return [Entry(f"bkg_{n}", "ü" * 200, NOW, NOW + 60, NOW) for n in range(part(share, MAX_ENTRIES))]


def cards(share: Share) -> list[NewCard]:
    configuration = {"text": "x" * (MAX_CONFIGURATION_BYTES - 20)}
    return [
        NewCard(
            type=CardType.TEXT,
            layout=CardLayout(x=0, y=0, w=1, h=1),
            id=f"crd_{n}",
            configuration=configuration,
        )
        for n in range(part(share, MAX_CARDS))
    ]


def checklist(share: Share) -> list[NewChecklistItem]:
    return [NewChecklistItem(text="x" * 200, done=True) for _ in range(part(share, 100))]


def asset_rows(share: Share) -> str:
    row = ",".join(
        ("Sensor on the third floor, on the left".replace(",", ""), "aty_00064a1b2c3d4e5f60718293a4b5")
    )
    return "name,assetTypeId,externalId\n" + "".join(f"{row},X{n}\n" for n in range(part(share, 10_000)))


def bad_rows(share: Share) -> str:
    return "name,assetTypeId,keepAlive\n" + "Sensor,aty_1,never\n" * part(share, 10_000)


def wide_rows(share: Share) -> str:
    names = ",".join(f"metadata.a{n}" for n in range(100))
    return filled(share, f"x,y,{',1' * 100}".replace(",,", ",") + "\n", before=f"name,assetTypeId,{names}\n")


def many_columns(share: Share) -> str:
    return "name,assetTypeId," + ",".join(f"metadata.a{n}" for n in range(part(share, BODY // 15))) + "\n"


def ideographs(share: Share, of: int = MAX_TEXT_LENGTH) -> str:
    return "".join(chr(0x4E00 + n) for n in range(part(share, of)))


def words(share: Share) -> str:
    return "ab " * (part(share, MAX_QUERY_LENGTH) // 3)


# Ten times as many as a text may hold: sorting them takes C code a square of their number, which few don't show.
def marks(share: Share) -> str:
    return "a" + "\u0315\u0300" * part(share, 5 * MAX_TEXT_LENGTH)


def disguised_marks(share: Share) -> str:
    return "\u0f73" * part(share, 10 * MAX_TEXT_LENGTH)
