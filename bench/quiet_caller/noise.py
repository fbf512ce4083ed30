"""What one tenant may send within the default limits, and what weighs on the others most: a request of each kind.

Each kind is made with the tenant's own key over HTTP, and asked again and again by `bench.quiet_caller.noisy`.
"""

import gzip
import random
import time
from collections.abc import Callable
from typing import Any

import msgspec

from bench.load import Caller
from bench.tenants import Tenant

_BOOKINGS = 10_000


class Noise(msgspec.Struct):
    """One request, as it is sent again and again, and the statuses that are right for it; 429 and 503 are right for all."""

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = {}
    statuses: tuple[int, ...] = (200,)


class Neighbour:
    """The tenant that makes the noise."""

    def __init__(self, port: int, tenant: Tenant) -> None:
        self.made = Caller(port, {"X-API-Key": tenant.keys[0]}).make
        self.path = f"/organizations/{tenant.id}"


def _json(path: str, body: Any, *statuses: int, packed: bool = False) -> Noise:
    written = msgspec.json.encode(body)
    headers = {"Content-Type": "application/json"}
    if packed:
        written, headers = gzip.compress(written, 9), headers | {"Content-Encoding": "gzip"}
    return Noise("POST", path, written, headers, statuses)


def _device(neighbour: Neighbour, name: str) -> str:
    kind = neighbour.made(f"/v2{neighbour.path}/asset-types", {"name": f"Type {name}"})["id"]
    asset = neighbour.made(f"{neighbour.path}/assets", {"name": name, "assetTypeId": kind})
    return str(asset["id"])


def _refused_metadata(neighbour: Neighbour) -> Noise:
    body = {"title": "Leak", "metadata": {f"key {number}": 1 for number in range(60_000)}}
    return _json(f"{neighbour.path}/work-orders", body, 422)


def _refused_reading(neighbour: Neighbour) -> Noise:
    path = f"{neighbour.path}/assets/{_device(neighbour, 'Refused')}/telemetry"
    return _json(path, {"values": {f"k{number}": "x" for number in range(70_000)}}, 422)


def _refused_batch(neighbour: Neighbour) -> Noise:
    metadata = {f"k{number}": "v" for number in range(900)}
    items = [{"create": {"title": "Leak", "metadata": metadata}} for _ in range(400)]
    return _json(f"{neighbour.path}/work-orders/batch", {"items": items}, 200, packed=True)


def _packed_bodies(neighbour: Neighbour) -> Noise:
    """900 KB from a few, all of it blanks but for a title."""
    blanks = bytes(random.Random(1).choices(b" \t\n\r", k=20_000)) + b" " * 880_000
    body = gzip.compress(b'{"title": "Leak"' + blanks + b"}")
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    return Noise("POST", f"{neighbour.path}/work-orders", body, headers, (201,))


def _calendar(neighbour: Neighbour) -> Noise:
    resource = neighbour.made(f"{neighbour.path}/resources", {"name": "Room", "type": "Room"})
    id = resource["id"]
    now = int(time.time()) // 900 * 900 + 86_400
    for start in range(0, _BOOKINGS, 500):
        times = [now + 1800 * number for number in range(start, start + 500)]
        items = [
            {"create": {"resourceId": id, "title": "Meeting", "startTime": at, "endTime": at + 900}}
            for at in times
        ]
        neighbour.made(f"{neighbour.path}/bookings/batch", {"items": items})
    url = neighbour.made(f"{neighbour.path}/resources/{id}/calendar-link")["url"]
    return Noise("GET", url[url.index("/", 8) :], headers={"Accept-Encoding": "gzip"})


def _forms(neighbour: Neighbour) -> Noise:
    options = [f"Option {number} " + "x" * 80 for number in range(40)]
    fields = [
        {"key": f"k{number}", "label": "Which of these?", "type": "select", "options": options}
        for number in range(200)
    ]
    for number in range(5):
        neighbour.made(f"{neighbour.path}/forms", {"name": f"Form {number}", "fields": fields})
    return Noise("GET", f"{neighbour.path}/forms?limit=100", headers={"Accept-Encoding": "gzip"})


def _batches(neighbour: Neighbour) -> Noise:
    items = [{"create": {"title": f"Leak {number}"}} for number in range(500)]
    return _json(f"{neighbour.path}/work-orders/batch", {"items": items}, 200)


def _large_items(neighbour: Neighbour) -> Noise:
    """An item by itself may have 1 MiB; this one has nearly all of the 4 MiB of a batch."""
    values = [f"value {number}" for number in range(250_000)]
    body = {"items": [{"create": {"title": "Leak", "metadata": {"values": values}}}]}
    return _json(f"{neighbour.path}/work-orders/batch", body, 200, packed=True)


def _previews(neighbour: Neighbour) -> Noise:
    kind = neighbour.made(f"/v2{neighbour.path}/asset-types", {"name": "Imported"})["id"]
    rows = "".join(f"Pump {number},{kind},pump-{number}\r\n" for number in range(10_000))
    body = ("name,assetTypeId,externalId\r\n" + rows).encode()
    return Noise("POST", f"{neighbour.path}/assets/import?dryRun=true", body, {"Content-Type": "text/csv"})


def _readings(neighbour: Neighbour) -> Noise:
    asset, now = _device(neighbour, "Read"), int(time.time())
    readings = [
        {"assetId": asset, "values": {"T": number}, "timestamp": now - number} for number in range(1000)
    ]
    return _json(f"{neighbour.path}/telemetry", {"readings": readings}, 200)


NOISES: dict[str, Callable[[Neighbour], Noise]] = {
    "refused_metadata": _refused_metadata,
    "refused_reading": _refused_reading,
    "refused_batch": _refused_batch,
    "packed_bodies": _packed_bodies,
    "calendar": _calendar,
    "forms": _forms,
    "searches": lambda one: Noise("GET", f"{one.path}/work-orders?q=noise%20stairs&limit=100"),
    "exports": lambda one: Noise("GET", f"{one.path}/work-orders.csv"),
    "batches": _batches,
    "large_items": _large_items,
    "previews": _previews,
    "readings": _readings,
}
