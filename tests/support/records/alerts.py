"""Alert rules, and the alerts that readings raise by them."""

import itertools
from typing import TYPE_CHECKING, Any

from tests.support.records.collection import Collection, Record

if TYPE_CHECKING:
    from tests.support.organizations import Organization

HOT = {"key": "Temperature", "operator": "gt", "value": 30}


class AlertRules(Collection):
    """For the type of the organization's devices, unless the fields name an asset or another type."""

    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "alert-rules")

    def body(self, **fields: Any) -> dict[str, Any]:
        if not {"assetId", "assetTypeId"} & fields.keys():
            fields["assetTypeId"] = self.organization.devices.type_id
        return {"name": "Too warm", "severity": "Critical", "conditions": [HOT], **fields}

    def create(self, **fields: Any) -> Record:
        return super().create(**self.body(**fields))


class Alerts(Collection):
    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "alerts")
        self._numbers = itertools.count(1)

    def insert(self, **columns: Any) -> Record:
        """One as a reading would have raised it."""
        values = {
            "id": f"alt_{next(self._numbers):028}",
            "asset_id": self.organization.devices.first_id,
            "rule_id": "arl_1",
            "severity": "Warning",
            "status": "Active",
            "first_seen": 1767225600,
            "last_seen": 1767225660,
            "count": 2,
            "cleared_at": None,
            **columns,
        }
        names = ", ".join(values)
        places = ", ".join(f"${number}" for number in range(2, len(values) + 2))
        self.organization.sql(
            f"INSERT INTO alerts (organization_id, {names}) VALUES ($1, {places})",
            self.organization.id,
            *values.values(),
        )
        return self.read(values["id"])
