"""The pages of rates and quotations cost as many statements with many rows as with few."""

from tests.faults.deployment import Deployment
from tests.faults.statements import statements_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import STAR, new_item, new_quotation, new_schedule, publish

_MOST = 12


def _fill(organization: Organization, rows: int) -> list[str]:
    """The pages of an order with this many quotations, by a schedule with this many rates."""
    order = organization.work_orders.create()
    schedule = new_schedule(organization)
    items = [new_item(organization, schedule, code=f"C-{number}") for number in range(rows)]
    publish(organization, schedule)
    lines = [{"itemId": item["id"], "quantity": 1} for item in items]
    quotations = [
        new_quotation(organization, *lines, STAR, scheduleId=schedule["id"], workOrderId=order["id"])
        for _ in range(rows)
    ]
    return [
        "/app/schedules",
        f"/app/schedules/{schedule['id']}",
        f"/app/schedules/{schedule['id']}/items.json?q=c-",
        f"/app/quotations?scheduleId={schedule['id']}",
        f"/app/quotations/new?workOrderId={order['id']}",
        f"/app/quotations/{quotations[0]['id']}",
        f"/app/quotations/{quotations[0]['id']}/print",
        f"/app/work-orders/{order['id']}",
    ]


def test_no_page_costs_a_statement_for_each_row(deployment: Deployment) -> None:
    organization = deployment.new_organization()
    person = BrowserClient(organization.base_url)
    assert person.log_in(organization.email).status_code == 303
    few, many = _fill(organization, 1), _fill(organization, 8)
    for one, other in zip(few, many, strict=True):
        person.get(one)
        cheap, dear = (
            statements_of(deployment, lambda path=path: person.get(path).raise_for_status())  # type: ignore[misc]
            for path in (one, other)
        )
        assert len(dear) == len(cheap) <= _MOST, (other, dear)
