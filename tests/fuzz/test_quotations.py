"""Quotations against a model: amounts to the cent, four eyes between any two people, and nothing changes but a draft."""

from typing import Any

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, consumes, initialize, multiple, rule
from tests.fuzz.machines import Machine, expect, run
from tests.support.organizations import Organization
from tests.support.schedules_of_rates import VALVE, Colleague, published_schedule

PEOPLE = st.sampled_from(["administrator", "key of the administrator", "colleague"])
# In thousandths: what people type has at most three decimals.
QUANTITIES = st.integers(1, 5_000_000)
RATES = st.integers(0, 100_000_000)
LINES = st.lists(st.tuples(QUANTITIES, st.none() | RATES), max_size=4)
Lines = list[tuple[int, int | None]]


class Quotations(Machine):
    quotations = Bundle("quotations")

    def __init__(self, organization: Organization, other: httpx.Client) -> None:
        super().__init__(organization)
        second_key = organization.client(key=organization.secret)
        self.people = {
            "administrator": organization.api,
            "key of the administrator": second_key,
            "colleague": other,
        }
        self.person = {
            "administrator": organization.user_id,
            "key of the administrator": organization.user_id,
            "colleague": other.user_id,  # type: ignore[attr-defined]
        }

    @initialize()
    def rates(self) -> None:
        schedule, item = published_schedule(self.organization)
        self.schedule_id, self.item_id = schedule["id"], item["id"]

    def path(self, id: str) -> str:
        return f"{self.organization.path}/sor/quotations/{id}"

    def sent(self, lines: Lines) -> list[dict[str, Any]]:
        star = {"description": "Night access", "unit": "h"}
        return [
            {
                "quantity": quantity / 1000,
                **({"itemId": self.item_id} if rate is None else {**star, "rateCents": rate}),
            }
            for quantity, rate in lines
        ]

    def total(self, lines: Lines) -> int:
        """Half up, line by line, in whole numbers."""
        rates = [VALVE["rateCents"] if rate is None else rate for _, rate in lines]
        return sum(
            int(quantity * rate * 2 + 1000) // 2000 for (quantity, _), rate in zip(lines, rates, strict=True)
        )

    @rule(target=quotations, lines=LINES)
    def create(self, lines: Lines) -> Any:
        body = {"scheduleId": self.schedule_id, "lineItems": self.sent(lines)}
        answer = self.organization.api.post(f"{self.organization.path}/sor/quotations", json=body)
        made = expect(answer, 201)
        assert made["totalAmountCents"] == self.total(lines)
        self.known[made["id"]] = {
            "status": "Draft",
            "lines": lines,
            "by": None,
            "etag": answer.headers["ETag"],
        }
        return made["id"]

    @rule(quotation=quotations, lines=LINES, stale=st.sampled_from([False, False, True]))
    def change(self, quotation: str, lines: Lines, stale: bool) -> None:
        model = self.known[quotation]
        headers = {"If-Match": '"made-up"' if stale else model["etag"]}
        answer = self.organization.api.patch(
            self.path(quotation), json={"lineItems": self.sent(lines)}, headers=headers
        )
        if stale:
            expect(answer, 412)
        elif model["status"] != "Draft":
            expect(answer, 409)
        else:
            assert expect(answer, 200)["totalAmountCents"] == self.total(lines)
            model |= {"lines": lines, "etag": answer.headers["ETag"]}

    @rule(quotation=quotations, who=PEOPLE)
    def submit(self, quotation: str, who: str) -> None:
        model = self.known[quotation]
        answer = self.people[who].post(f"{self.path(quotation)}/submit")
        if model["status"] != "Draft":
            assert model["status"] in expect(answer, 409)
        elif not model["lines"]:
            expect(answer, 422)
        else:
            assert expect(answer, 200)["submittedBy"] == self.person[who]
            model |= {"status": "Submitted", "by": self.person[who], "etag": answer.headers["ETag"]}
            self.expect_event("sor.quotation.submitted", quotation)

    @rule(quotation=quotations, who=PEOPLE)
    def approve(self, quotation: str, who: str) -> None:
        model = self.known[quotation]
        answer = self.people[who].post(f"{self.path(quotation)}/approve")
        if model["status"] != "Submitted":
            assert model["status"] in expect(answer, 409)
        elif model["by"] == self.person[who]:
            expect(answer, 403)
        else:
            assert expect(answer, 200)["approvedBy"] == self.person[who]
            model |= {"status": "Approved", "etag": answer.headers["ETag"]}
            self.expect_event("sor.quotation.approved", quotation)

    @rule(quotation=quotations, who=PEOPLE)
    def reject(self, quotation: str, who: str) -> None:
        model = self.known[quotation]
        answer = self.people[who].post(f"{self.path(quotation)}/reject", json={"reason": "Too dear."})
        if model["status"] != "Submitted":
            assert model["status"] in expect(answer, 409)
        else:
            assert expect(answer, 200)["rejectedBy"] == self.person[who]
            model |= {"status": "Draft", "by": None, "etag": answer.headers["ETag"]}

    @rule(target=quotations, quotation=consumes(quotations))
    def delete(self, quotation: str) -> Any:
        answer = self.organization.api.delete(self.path(quotation))
        if self.known[quotation]["status"] != "Draft":
            expect(answer, 409)
            return quotation
        expect(answer, 200)
        del self.known[quotation]
        return multiple()

    def events(self) -> Any:
        """Beyond those of the model there may be kinds that came later, such as one for a rejection."""
        return {pair: n for pair, n in super().events().items() if pair in self.expected}

    def teardown(self) -> None:
        for id, model in self.known.items():
            answer = self.organization.api.get(self.path(id))
            found = expect(answer, 200)
            assert (found["status"], found["totalAmountCents"], answer.headers["ETag"]) == (
                model["status"],
                self.total(model["lines"]),
                model["etag"],
            )
        super().teardown()


def test_quotations_agree_with_the_model(unlimited_organization: Organization) -> None:
    other = Colleague(unlimited_organization)
    run(lambda: Quotations(unlimited_organization, other))
