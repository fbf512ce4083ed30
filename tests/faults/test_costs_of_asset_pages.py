"""A page of assets costs the same statements, however many assets, values and work orders it shows."""

from functools import partial

from tests.faults.deployment import Deployment
from tests.faults.statements import statements_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

# One of them tells who is in front of the browser. What other slices show on the page of an asset is counted with it.
MOST = {
    "/app/assets": 5,
    "/app/assets?sort=name&q=pump": 5,
    "/app/assets/tree": 3,
    "/app/assets/tree?locationId={location}": 6,
    "/app/assets/labels": 4,
    "/app/assets/{asset}": 12,
    "/app/assets/{asset}/chart.json?key=Temperature": 6,
    "/app/asset-types": 3,
}


def _furnish(organization: Organization, number: int) -> None:
    place = organization.locations.create(f"Room {number}", parentId=organization.locations.first_id)
    kind = organization.asset_types.create(f"Pump {number}")
    made = organization.assets.create(f"Pump {number}", assetTypeId=kind["id"], locationId=place["id"])
    organization.assets.create(f"Pump there {number}", locationId=organization.locations.first_id)
    organization.created("work-orders", {"title": "Round", "assetId": organization.devices.first_id})
    organization.devices.report(organization.devices.first_id, {f"Key {number}": number, "Temperature": 20})
    assert made["id"]


def test_the_queries_of_asset_pages_do_not_grow(deployment: Deployment) -> None:
    organization = deployment.new_organization()
    person = BrowserClient(deployment.api.base_url)
    assert person.log_in(organization.email).status_code == 303
    ids = {"location": organization.locations.first_id, "asset": organization.devices.first_id}
    counts: list[dict[str, int]] = []
    for numbers in (range(2), range(2, 12)):
        for number in numbers:
            _furnish(organization, number)
        found = {}
        for path in MOST:
            address = path.format(**ids)
            person.sees(address)
            found[path] = len(statements_of(deployment, partial(person.sees, address)))
        counts.append(found)
    assert counts[0] == counts[1]
    assert {path: count for path, count in counts[1].items() if count > MOST[path]} == {}
