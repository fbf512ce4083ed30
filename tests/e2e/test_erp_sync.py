"""An ERP that keeps itself and Steward in step every night, through the public API and nothing else."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.organizations import Organization

from steward_client import Steward, to_dict

Fields = dict[str, Any]
# What the ERP keeps of an asset, by what it calls it.
KEPT = ("name", "description", "locationId", "metadata")


class Erp:
    """Knows records by names of its own, and how far it has read what happened in Steward."""

    def __init__(self, steward: Steward) -> None:
        self.steward = steward
        self.assets: dict[str, Fields] = {}
        self.orders: dict[str, str] = {}
        self.cursor = self._page("now").last_evaluated_key

    def export(self) -> list[dict[str, str]]:
        return list(csv.DictReader(self.steward.assets.export_csv().lines()))

    def import_assets(self, rows: list[dict[str, str]], *, dry_run: bool) -> Fields:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        report = self.steward.assets.import_(text.getvalue().encode(), dry_run=dry_run)
        return {"created": report.created, "changed": report.changed, "unchanged": report.unchanged}

    def read_changes(self) -> list[str]:
        """Follows the feed to its end and takes over what it tells; the types of what it told."""
        told: list[str] = []
        while True:
            page = self._page(self.cursor)
            self.cursor = page.last_evaluated_key
            if not page.data:
                return told
            for event in page.data:
                told.append(event.type)
                self._take_over(event.type.split(".")[0], event.data.object["id"])

    def _take_over(self, kind: str, id: str) -> None:
        if kind == "asset":
            asset = to_dict(self.steward.assets.get(id))
            self.assets[asset["externalId"]] = {name: asset[name] for name in KEPT}
        elif kind == "workorder":
            order = self.steward.work_orders.get(id)
            assert order.external_id is not None
            self.orders[order.external_id] = order.status

    def _page(self, after: str | None) -> Any:
        return self.steward.events.list(order="asc", after=after, limit=7).page()

    def kept_in_steward(self) -> dict[str, Fields]:
        found = to_dict(list(self.steward.assets.list()))
        return {asset["externalId"]: {name: asset[name] for name in KEPT} for asset in found}


@pytest.fixture
def erp(organization: Organization) -> Iterator[Erp]:
    with Steward(organization.base_url, organization.secret, organization.id) as steward:
        yield Erp(steward)


def test_a_nightly_sync_keeps_both_sides_alike(organization: Organization, erp: Erp) -> None:
    steward = erp.steward
    site = steward.locations.put_by_external_id("PLANT/1", name="Plant 1", type="Site")
    pump = {"assetTypeId": organization.assets.type_id, "locationId": site.id}

    # The first night: everything that the ERP has.
    made = [
        {
            "replace": {**pump, "name": f"=Pump {number}", "metadata": {"cost": number}},
            "externalId": f"EQ-{number}",
        }
        for number in range(20)
    ]
    assert steward.assets.batch(items=made).failed == 0
    assert erp.read_changes() == ["location.created", "assettype.created"] + ["asset.created"] * 20
    assert len(erp.assets) == 20
    assert erp.assets == erp.kept_in_steward()

    # A day at work: people change what they find.
    (third,) = organization.assets.listed(externalId="EQ-3")
    organization.assets.change(third, name="Pump in the cellar", locationId=organization.locations.first_id)
    order = steward.work_orders.create(title="Leak", external_id="NOTIF-1")
    steward.work_orders.start(order.id)
    steward.work_orders.complete(order.id)

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
    assert steward.locations.put_by_external_id("PLANT/1", name="Plant 1", type="Site") == site
    assert erp.read_changes() == []
