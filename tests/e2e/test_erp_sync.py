"""An ERP that keeps itself and Steward in step every night, through the public API and nothing else."""

import csv
import io
from typing import Any

from tests.support.organizations import Organization

Fields = dict[str, Any]
# What the ERP keeps of an asset, by what it calls it.
KEPT = ("name", "description", "locationId", "metadata")


class Erp:
    """Knows records by names of its own, and how far it has read what happened in Steward."""

    def __init__(self, organization: Organization) -> None:
        self.organization = organization
        self.api = organization.client(key=organization.secret)
        self.assets: dict[str, Fields] = {}
        self.orders: dict[str, str] = {}
        self.cursor = self._events("now")["lastEvaluatedKey"]

    def put(self, kind: str, external_id: str, **fields: Any) -> Fields:
        path = f"{self.organization.path}/{kind}/by-external-id/{external_id}"
        answer = self.api.put(path, json=fields)
        assert answer.status_code in {200, 201}, answer.text
        data: Fields = answer.json()["data"]
        return data

    def batch(self, kind: str, *items: Fields) -> list[Fields]:
        answer = self.api.post(f"{self.organization.path}/{kind}/batch", json={"items": items})
        assert answer.status_code == 200, answer.text
        assert answer.json()["data"]["failed"] == 0, answer.text
        return [result["data"] for result in answer.json()["data"]["results"]]

    def export(self) -> list[dict[str, str]]:
        text = self.api.get(f"{self.organization.path}/assets.csv").text
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def import_assets(self, rows: list[dict[str, str]], *, dry_run: bool) -> Fields:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        answer = self.api.post(
            f"{self.organization.path}/assets/import",
            content=text.getvalue().encode(),
            headers={"Content-Type": "text/csv"},
            params={"dryRun": str(dry_run).lower()},
        )
        assert answer.status_code == 200, answer.text
        report: Fields = answer.json()["data"]
        return {name: report[name] for name in ("created", "changed", "unchanged")}

    def read_changes(self) -> list[str]:
        """Follows the feed to its end and takes over what it tells; the types of what it told."""
        told: list[str] = []
        while True:
            page = self._events(self.cursor)
            self.cursor = page["lastEvaluatedKey"]
            if not page["data"]:
                return told
            for event in page["data"]:
                told.append(event["type"])
                self._take_over(event["type"].split(".")[0], event["data"]["object"]["id"])

    def _take_over(self, kind: str, id: str) -> None:
        if kind == "asset":
            asset = self.api.get(f"{self.organization.path}/assets/{id}").json()["data"]
            self.assets[asset["externalId"]] = {name: asset[name] for name in KEPT}
        elif kind == "workorder":
            order = self.api.get(f"{self.organization.path}/work-orders/{id}").json()["data"]
            self.orders[order["externalId"]] = order["status"]

    def _events(self, after: str) -> Fields:
        query: Fields = {"order": "asc", "after": after, "limit": 7}
        answer = self.api.get(f"/v2{self.organization.path}/events", params=query)
        assert answer.status_code == 200, answer.text
        page: Fields = answer.json()
        return page

    def kept_in_steward(self) -> dict[str, Fields]:
        found = self.organization.assets.listed(limit=100)
        return {asset["externalId"]: {name: asset[name] for name in KEPT} for asset in found}


def test_a_nightly_sync_keeps_both_sides_alike(organization: Organization) -> None:
    erp = Erp(organization)
    site = erp.put("locations", "PLANT/1", name="Plant 1", type="Site")
    pump = {"assetTypeId": organization.assets.type_id, "locationId": site["id"]}

    # The first night: everything that the ERP has.
    made = [
        {
            "replace": {**pump, "name": f"=Pump {number}", "metadata": {"cost": number}},
            "externalId": f"EQ-{number}",
        }
        for number in range(20)
    ]
    erp.batch("assets", *made)
    assert erp.read_changes() == ["location.created"] + ["asset.created"] * 20
    assert len(erp.assets) == 20
    assert erp.assets == erp.kept_in_steward()

    # A day at work: people change what they find.
    (third,) = organization.assets.listed(externalId="EQ-3")
    organization.assets.change(third, name="Pump in the cellar", locationId=organization.locations.first_id)
    (order,) = erp.batch("work-orders", {"create": {"title": "Leak", "externalId": "NOTIF-1"}})
    organization.work_orders.move(order, "start", "complete")

    # The second night: first what happened, then the ERP's own changes in the file that it got.
    assert sorted(erp.read_changes()) == [
        "asset.updated",
        "location.created",
        "workorder.completed",
        "workorder.created",
        "workorder.status.changed",
    ]
    assert erp.orders == {"NOTIF-1": "Completed"}
    assert erp.assets["EQ-3"]["name"] == "Pump in the cellar"
    rows = erp.export()
    by_name = {row["externalId"]: row for row in rows}
    by_name["EQ-5"]["description"] = "=Overhauled, 2026"
    by_name["EQ-6"]["metadata"] = '{"cost": 6, "supplier": "ACME"}'
    rows.append(
        dict.fromkeys(rows[0], "")
        | {"externalId": "EQ-20", "name": "Fan", "assetTypeId": pump["assetTypeId"]}
    )
    expected = {"created": 1, "changed": 2, "unchanged": 18}
    assert erp.import_assets(rows, dry_run=True) == expected
    assert erp.read_changes() == []
    assert erp.import_assets(rows, dry_run=False) == expected
    assert sorted(erp.read_changes()) == ["asset.created", "asset.updated", "asset.updated"]
    assert erp.assets == erp.kept_in_steward()
    assert erp.assets["EQ-5"]["description"] == "=Overhauled, 2026"

    # The third night: nothing is new, so nothing happens, however often it is said.
    assert erp.import_assets(erp.export(), dry_run=False) == {"created": 0, "changed": 0, "unchanged": 21}
    assert erp.put("locations", "PLANT/1", name="Plant 1", type="Site") == site
    assert erp.read_changes() == []
