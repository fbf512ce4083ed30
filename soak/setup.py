"""The organizations of a soak: one that works and has a good receiver, one with bad receivers only."""

import time

import msgspec
from tests.support.organizations import Organization

from soak.receivers import BAD_KINDS, Receivers

_SUBSCRIBED = ["workorder.*", "booking.*"]
_BULK = 4000


class SoakSetup(msgspec.Struct, frozen=True, kw_only=True):
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


def make_setup(base_url: str, database_url: str, receivers: Receivers) -> SoakSetup:
    organization = Organization(base_url, database_url, "Enterprise")
    noisy = Organization(base_url, database_url, "Enterprise")
    webhook = organization.webhooks.create(*_SUBSCRIBED, url=receivers.good_url)
    for kind in BAD_KINDS:
        noisy.webhooks.create("workorder.created", url=receivers.bad_url(kind))
    probe = _new_probe_type(organization)
    now = int(time.time())
    _fill_exports(noisy)
    return SoakSetup(
        organization=organization.id,
        key=organization.secret,
        noisy_path=noisy.path,
        noisy_key=noisy.secret,
        resources=[_new_room(organization, number) for number in range(3)],
        singles=[organization.devices.add(f"Single {n}", assetTypeId=probe) for n in range(8)],
        batches=[organization.devices.add(f"Batch {n}", assetTypeId=probe) for n in range(20)],
        published=[organization.devices.add(f"Published {n}", assetTypeId=probe) for n in range(8)],
        # So far off that no step of a clock reaches them.
        first_slot=now // 86400 * 86400 + 2 * 86400,
        first_second=now - 10 * 3600,
        secret=webhook["signingSecret"],
    )


def _new_probe_type(organization: Organization) -> str:
    return str(organization.asset_types.create("Probe", isIotDevice=True, keepAlive=60)["id"])


def _new_room(organization: Organization, number: int) -> str:
    made = organization.resources.create(name=f"Room {number}", bufferMinutes=15 * (number % 2))
    return str(made["id"])


def _fill_exports(organization: Organization) -> None:
    """So much that an export which nobody reads can't hide in the buffers of the kernel."""
    kind = _new_probe_type(organization)
    for part in range(2):
        rows = "\n".join(f'"{part} {n} {"x" * 180}",{kind}' for n in range(_BULK))
        answer = organization.api.post(
            f"{organization.path}/assets/import",
            content=f"name,assetTypeId\n{rows}\n",
            headers={"Content-Type": "text/csv"},
            timeout=120,
        )
        assert answer.status_code in {200, 201}, answer.text[:500]
