"""The organizations of a soak: one that works and is told of it, one whose receivers are all bad."""

import time
from typing import Any

import msgspec
from tests.support.organizations import Organization

from soak.receivers import BAD_KINDS, Receivers

_SUBSCRIBED = ["workorder.*", "booking.*"]
_BULK = 4000


class World(msgspec.Struct, frozen=True, kw_only=True):
    organization: str
    key: str
    noisy_path: str
    noisy_key: str
    resources: list[str]
    singles: list[str]
    batches: list[str]
    published: list[str]
    first_slot: int
    first_second: int
    secret: str

    def at(self, *parts: str) -> str:
        return "/".join((f"/organizations/{self.organization}", *parts))


def make_world(base_url: str, database_url: str, receivers: Receivers) -> World:
    organization = Organization(base_url, database_url, "Enterprise")
    noisy = Organization(base_url, database_url, "Enterprise")
    hook = organization.api.post(
        f"/v2{organization.path}/webhooks", json={"url": receivers.good_url, "events": _SUBSCRIBED}
    )
    assert hook.status_code == 201, hook.text
    for kind in BAD_KINDS:
        body = {"url": receivers.bad_url(kind), "events": ["workorder.created"]}
        made = noisy.api.post(f"/v2{noisy.path}/webhooks", json=body)
        assert made.status_code == 201, made.text
    sensor = _new_type(organization)
    now = int(time.time())
    _fill_exports(noisy)
    return World(
        organization=organization.id,
        key=organization.secret,
        noisy_path=noisy.path,
        noisy_key=noisy.secret,
        resources=[_new_room(organization, number) for number in range(3)],
        singles=[_new_asset(organization, sensor, f"Single {n}") for n in range(8)],
        batches=[_new_asset(organization, sensor, f"Batch {n}") for n in range(20)],
        published=[_new_asset(organization, sensor, f"Published {n}") for n in range(8)],
        # So far off that no step of a clock reaches them.
        first_slot=now // 86400 * 86400 + 2 * 86400,
        first_second=now - 10 * 3600,
        secret=hook.json()["data"]["signingSecret"],
    )


def _new_type(organization: Organization) -> str:
    made = organization.api.post(
        f"/v2{organization.path}/asset-types", json={"name": "Probe", "isIotDevice": True, "keepAlive": 60}
    )
    assert made.status_code == 201, made.text
    return str(made.json()["data"]["id"])


def _new_asset(organization: Organization, kind: str, name: str) -> str:
    return str(organization.created("assets", {"name": name, "assetTypeId": kind})["id"])


def _new_room(organization: Organization, number: int) -> str:
    body: dict[str, Any] = {"name": f"Room {number}", "type": "Room", "bufferMinutes": 15 * (number % 2)}
    return str(organization.created("resources", body)["id"])


def _fill_exports(organization: Organization) -> None:
    """So much that an export which nobody reads can't hide in the buffers of the kernel."""
    kind = _new_type(organization)
    for part in range(2):
        rows = "\n".join(f'"{part} {n} {"x" * 180}",{kind}' for n in range(_BULK))
        answer = organization.api.post(
            f"{organization.path}/assets/import",
            content=f"name,assetTypeId\n{rows}\n",
            headers={"Content-Type": "text/csv"},
            timeout=120,
        )
        assert answer.status_code in {200, 201}, answer.text[:500]
