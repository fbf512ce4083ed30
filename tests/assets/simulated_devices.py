"""Devices for the connectivity check, in a time of their own.

It lies so far ahead that no worker, which goes by the clock on the wall, ever finds them due.
"""

from typing import Any

from tests.support.organizations import Organization
from tests.support.records.assets import KEEP_ALIVE
from tests.support.waiting import wait_for

from steward.assets.connectivity.jobs import check_connectivity
from steward.ingest.jobs import run_rule_timers
from steward.kit.runtime import clock

START = 4_000_000_000

# As a reading leaves it: only one of a device that isn't connected asks for a look.
_REPORT = """UPDATE assets AS a SET last_seen = $3, last_telemetry = '{"Temperature": 21}',
                 connectivity_due = CASE WHEN a.connection_status OR NOT ty.is_iot_device THEN a.connectivity_due
                                         ELSE coalesce(a.connectivity_due, $3) END
             FROM asset_types ty
             WHERE a.organization_id = $1 AND a.id = ANY ($2::text[])
                   AND ty.organization_id = $1 AND ty.id = a.asset_type_id"""

_RULES_DUE = "SELECT 1 FROM assets WHERE organization_id = $1 AND rules_due <= $2 LIMIT 1"


class SimulatedDevices:
    """The devices of an organization; whatever happens to them happens at a moment that the test names."""

    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.type_id = organization.devices.type_id

    def add(self, connected: bool | None = None, **fields: Any) -> str:
        """A new one for which this was recorded when it reported at the START."""
        id = self.organization.devices.add(**fields)
        if connected is not None:
            self.report(id)
            self.check(START)
            if not connected:
                self.check(START + 2 * KEEP_ALIVE)
            assert self.read(id)["connectionStatus"] is connected
        return id

    def report(self, *ids: str, at: int = START) -> None:
        self.organization.sql(_REPORT, self.organization.id, list(ids), at)

    def check(self, now: int, **more: int) -> int:
        wait_for("the rules after a change", self._rules_are_applied)
        return self.organization.with_pool(lambda pool: check_connectivity(pool, now, **more))

    def _rules_are_applied(self) -> bool:
        """A change by people also has the worker look at the rules, and the check skips a device that is locked for that."""
        if not self.organization.sql(_RULES_DUE, self.organization.id, clock.now()):
            return True
        self.organization.with_pool(lambda pool: run_rule_timers(pool, clock.now()))
        return False

    def read(self, id: str) -> dict[str, Any]:
        return self.organization.devices.read(id)

    def change(self, id: str, **changes: Any) -> None:
        self.organization.devices.change(id, **changes)

    def change_type(self, type_id: str, **changes: Any) -> None:
        self.organization.asset_types.change(type_id, **changes)

    def status_events(self, id: str) -> list[dict[str, Any]]:
        """The events about a device's status, oldest first."""
        return [event for event in self.all_status_events() if event["data"]["object"]["id"] == id]

    def all_status_events(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        query: dict[str, Any] = {"type": "asset.status.changed", "limit": 100}
        while True:
            path = f"/v2{self.organization.path}/events"
            answer = self.organization.api.get(path, params=query)
            assert answer.is_success, answer.text
            page = answer.json()
            found += page["data"]
            if page["lastEvaluatedKey"] is None:
                return found[::-1]
            query["lastEvaluatedKey"] = page["lastEvaluatedKey"]

    def previous_attributes(self, id: str) -> list[dict[str, Any]]:
        return [event["data"]["previousAttributes"] for event in self.status_events(id)]
