"""Generated requests made believable: what the document can't say of a value (that it names something, lies ahead, isn't
taken yet) is put in by the name of its field; everything else stays as it was generated."""

import itertools
import re
import time
from collections.abc import Callable
from typing import Any

from tests.support.organizations import PASSWORD
from tests.support.sample_records import REFERENCES, SampleRecords

_numbers = itertools.count(1)
_DAY = 86_400


def _unused(prefix: str) -> str:
    return f"{prefix}{next(_numbers)}"


def _slot() -> dict[str, int]:
    """An hour without bookings."""
    start = int(time.time()) + 2 * _DAY + 7200 * next(_numbers)
    return {"startTime": start, "endTime": start + 3600}


_STAYS_VALID: dict[str, Callable[[], Any]] = {
    "email": lambda: f"{_unused('fuzz-')}@example.com",
    "password": lambda: PASSWORD,
    "externalId": lambda: _unused("ext-"),
    "code": lambda: _unused("C"),
    "url": lambda: f"https://127.0.0.1:9/{_unused('')}",
    "events": lambda: ["sor.schedule.published"],
    "timezone": lambda: "Europe/Berlin",
    "timeZone": lambda: "Europe/Berlin",
    "timestamp": lambda: int(time.time()),
    "expectedArrival": lambda: int(time.time()) + _DAY,
    "since": lambda: int(time.time()) - 3600,
    "until": lambda: int(time.time()),
    "from": lambda: int(time.time()),
    "to": lambda: int(time.time()) + _DAY,
    "effectiveFrom": lambda: int(time.time()) - _DAY,
    "effectiveTo": lambda: int(time.time()) + 30 * _DAY,
    "quantity": lambda: 1.5,
    "types": lambda: ["workorder.*"],
    "q": lambda: "Lift",
    "devEui": lambda: "a84041b2c3d4e5f6",
}
# Names that only one record of its kind may bear.
_UNIQUE_NAMES = {"createRole", "changeRole", "createAssetType", "changeAssetType"}


def body(records: SampleRecords, operation_id: str, generated: Any) -> Any:
    made = _value(records, generated)
    if not isinstance(made, dict):
        return made
    if operation_id in _UNIQUE_NAMES and "name" in made:
        made["name"] = _unused("Name ")
    if operation_id in {"bookResource", "changeBooking", "putBookingByExternalId"}:
        made |= _slot()
    return _SPECIAL.get(operation_id, lambda _records, as_it_is: as_it_is)(records, made)


def query(records: SampleRecords, generated: dict[str, Any]) -> dict[str, Any]:
    """A cursor can't be made up; whatever else is asked for can."""
    return {
        name: _named(records, name, value)
        for name, value in generated.items()
        if not name.lower().endswith("key") and value is not None
    }


def _value(records: SampleRecords, generated: Any) -> Any:
    if isinstance(generated, list):
        return [_value(records, part) for part in generated]
    if isinstance(generated, dict):
        return {name: _named(records, name, value) for name, value in generated.items()}
    return generated


def _named(records: SampleRecords, name: str, value: Any) -> Any:
    if value is None or value == "null":
        return value
    if name in REFERENCES:
        id = records.ids[REFERENCES[name]]
        return [id] if isinstance(value, list) else id
    if name in _STAYS_VALID:
        return _STAYS_VALID[name]()
    return _value(records, value)


def _without(*names: str) -> Callable[[SampleRecords, dict[str, Any]], dict[str, Any]]:
    return lambda _records, made: {name: value for name, value in made.items() if name not in names}


def _with_more(**more: Any) -> Callable[[SampleRecords, dict[str, Any]], dict[str, Any]]:
    return lambda _records, made: {**made, **more}


def _for_a_type(records: SampleRecords, made: dict[str, Any]) -> dict[str, Any]:
    """A rule is for a type or for an asset, not for both."""
    conditions = made.get("conditions") or [{"key": "T", "operator": "gt", "value": 0}]
    return {**made, "conditions": conditions, "assetId": None, "assetTypeId": records.ids["assetTypeId"]}


def _lines(_records: SampleRecords, made: dict[str, Any]) -> dict[str, Any]:
    """Each of them either of the schedule or a star rate."""
    star = {"description": "Night access", "unit": "h", "quantity": 1.5, "rateCents": 6500}
    lines = [
        {"itemId": line["itemId"], "quantity": 1.5} if line.get("itemId") else star
        for line in made["lineItems"] or ()
    ]
    return {**made, "lineItems": lines[:20]}


def _fields(_records: SampleRecords, made: dict[str, Any]) -> dict[str, Any]:
    for number, field in enumerate(made.get("fields") or ()):
        field["key"] = f"k{number}"
        for optional in ("options", "min", "max"):
            field.pop(optional, None)
        if field.get("type") in {"select", "multiSelect"}:
            field["options"] = ["a", "b"]
    return made


def _checklist(_records: SampleRecords, made: dict[str, Any]) -> dict[str, Any]:
    for item in made.get("checklist", ()):
        item.pop("id", None)
    return made


_POLICY = {
    "targets": {
        priority: {"responseMinutes": 60, "resolutionMinutes": 480}
        for priority in ("Low", "Medium", "High", "Critical")
    },
    "calendar": {"mode": "weekly", "timezone": "Europe/Berlin", "monday": [{"from": "08:00", "to": "17:00"}]},
}
_SPECIAL: dict[str, Callable[[SampleRecords, dict[str, Any]], dict[str, Any]]] = {
    "createAlertRule": _for_a_type,
    "createForm": _fields,
    "changeForm": _fields,
    "submitForm": _with_more(answers={"exit": "Pass"}),
    "createQuotation": lambda records, made: _lines(records, {"lineItems": [], **made}),
    "changeQuotation": lambda records, made: _lines(records, made) if "lineItems" in made else made,
    "createWorkOrder": _checklist,
    "changeWorkOrder": _without("status", "holdReason", "cancelReason", "checklist"),
    "changeUser": _without("roleIds"),
    # The name stands in the path, and what stays as it was made is the sample's.
    "putAssetByExternalId": _without("externalId"),
    "putBookableResourceByExternalId": _without("externalId"),
    "putBookingByExternalId": _without("externalId", "bookedBy"),
    "putLocationByExternalId": _without("externalId", "parentId"),
    "putUserByExternalId": _without("externalId"),
    "putVisitorByExternalId": _without("externalId"),
    "putWorkOrderByExternalId": _without("externalId", "reportedBy", "checklist"),
    "setSlaPolicy": _with_more(**_POLICY),
    "takeUplinkFromChirpstack": _with_more(
        deviceInfo={"devEui": "a84041b2c3d4e5f6"}, object={"temperature": 21.4}
    ),
}


def csv(records: SampleRecords, operation_id: str) -> str:
    if operation_id == "importAssets":
        return f"name,assetTypeId,externalId\nPump,{records.ids['assetTypeId']},{_unused('csv-')}\n"
    if operation_id == "importLocations":
        return f"name,type,externalId\nHamburg,Site,{_unused('csv-')}\n"
    return f"code,description,unit,rateCents\n{_unused('C')},Valve,each,100\n"


def placeholders(path: str) -> list[str]:
    return re.findall(r"{(\w+)}", path)
