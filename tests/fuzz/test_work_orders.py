"""Work orders against a model: whatever is done in whatever order, state, refusals, validators and events agree."""

import uuid
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, consumes, multiple, rule
from tests.fuzz.machines import Machine, expect, run
from tests.support.organizations import Organization

# Written down here once more: the service's own table must not judge itself.
MOVES = {
    "start": ({"Open"}, "InProgress"),
    "hold": ({"InProgress"}, "OnHold"),
    "resume": ({"OnHold"}, "InProgress"),
    "complete": ({"InProgress"}, "Completed"),
    "cancel": ({"Open", "InProgress", "OnHold"}, "Cancelled"),
    "reopen": ({"Completed"}, "InProgress"),
}
STATUSES = ["Open", "InProgress", "OnHold", "Completed", "Cancelled"]
PRIORITIES = st.sampled_from(["Low", "Medium", "High", "Critical"])
TITLES = st.sampled_from(["Lift is stuck", "Leak", "Noise"])
REASON = {"reason": "Waiting for a part."}


class WorkOrders(Machine):
    orders = Bundle("orders")

    def path(self, id: str) -> str:
        return f"{self.organization.path}/work-orders/{id}"

    @rule(target=orders, title=TITLES, priority=PRIORITIES, again=st.sampled_from(["no", "same", "other"]))
    def create(self, title: str, priority: str, again: str) -> Any:
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        body = {"title": title, "priority": priority}
        path = f"{self.organization.path}/work-orders"
        answer = self.organization.api.post(path, json=body, headers=headers)
        made = expect(answer, 201)
        if again == "same":
            repeated = self.organization.api.post(path, json=body, headers=headers)
            assert (expect(repeated, 201), repeated.headers["Idempotent-Replayed"]) == (made, "true")
        elif again == "other":
            expect(self.organization.api.post(path, json={**body, "title": "Other"}, headers=headers), 422)
        self.known[made["id"]] = {**body, "status": "Open", "touched": False, "etag": answer.headers["ETag"]}
        self.expect_event("workorder.created", made["id"])
        return made["id"]

    @rule(order=orders, verb=st.sampled_from(sorted(MOVES)), stale=st.booleans())
    def try_to_move(self, order: str, verb: str, stale: bool) -> None:
        self.move(order, verb, stale=stale)

    def move(self, order: str, verb: str, *, stale: bool) -> None:
        model, (sources, target) = self.known[order], MOVES[verb]
        headers = {"If-Match": '"made-up"' if stale else model["etag"]}
        body = REASON if verb in {"hold", "cancel"} else None
        answer = self.organization.api.post(f"{self.path(order)}/{verb}", json=body, headers=headers)
        if stale:
            expect(answer, 412)
        elif model["status"] not in sources:
            assert model["status"] in expect(answer, 409)
        else:
            assert expect(answer, 200)["status"] == target
            self._moved(order, target, answer.headers["ETag"])

    @rule(order=orders, choice=st.integers(0, 5))
    def go_on(self, order: str, choice: int) -> None:
        """A move that is possible, so that orders get further than chance takes them; first all that aren't."""
        status = self.known[order]["status"]
        possible = [verb for verb, (sources, _) in MOVES.items() if status in sources]
        for verb in MOVES.keys() - set(possible):
            self.move(order, verb, stale=False)
        if possible:
            self.move(order, possible[choice % len(possible)], stale=False)

    @rule(order=orders, status=st.sampled_from(STATUSES))
    def change_status(self, order: str, status: str) -> None:
        model = self.known[order]
        verbs = [verb for verb, (sources, to) in MOVES.items() if model["status"] in sources and to == status]
        body = {"status": status}
        if verbs and verbs[0] in {"hold", "cancel"}:
            body[f"{verbs[0]}Reason"] = "Waiting for a part."
        answer = self.organization.api.patch(self.path(order), json=body)
        if status == model["status"]:
            assert expect(answer, 200)["status"] == status
        elif not verbs:
            assert model["status"] in expect(answer, 409)
        else:
            expect(answer, 200)
            self._moved(order, status, answer.headers["ETag"])

    def _moved(self, order: str, target: str, etag: str) -> None:
        self.known[order] |= {"status": target, "etag": etag, "touched": True}
        completed = target == "Completed"
        self.expect_event("workorder.completed" if completed else "workorder.status.changed", order)

    @rule(order=orders, title=TITLES, priority=PRIORITIES)
    def change_fields(self, order: str, title: str, priority: str) -> None:
        model = self.known[order]
        headers = {"If-Match": model["etag"]}
        answer = self.organization.api.patch(
            self.path(order), json={"title": title, "priority": priority}, headers=headers
        )
        if model["status"] in {"Completed", "Cancelled"}:
            expect(answer, 409)
            return
        expect(answer, 200)
        if (title, priority) != (model["title"], model["priority"]):
            self.expect_event("workorder.updated", order)
            model["touched"] = True
        model |= {"title": title, "priority": priority, "etag": answer.headers["ETag"]}

    @rule(order=orders)
    def comment(self, order: str) -> None:
        expect(self.organization.api.post(f"{self.path(order)}/comments", json={"text": "Hm"}), 201)
        changed = self.organization.api.get(self.path(order)).headers["ETag"]
        assert changed != self.known[order]["etag"]
        self.known[order] |= {"touched": True, "etag": changed}
        self.expect_event("workorder.commented", order)

    @rule(target=orders, order=consumes(orders))
    def delete(self, order: str) -> Any:
        model = self.known[order]
        answer = self.organization.api.delete(self.path(order))
        if model["status"] != "Open" or model["touched"]:
            expect(answer, 409)
            return order
        expect(answer, 200)
        self.expect_event("workorder.deleted", order)
        del self.known[order]
        expect(self.organization.api.get(self.path(order)), 404)
        return multiple()

    def teardown(self) -> None:
        for id, model in self.known.items():
            answer = self.organization.api.get(self.path(id))
            found = expect(answer, 200)
            assert {name: found[name] for name in ("title", "priority", "status")} == {
                name: model[name] for name in ("title", "priority", "status")
            }
            assert answer.headers["ETag"] == model["etag"]
        super().teardown()


def test_work_orders_agree_with_the_model(unlimited_organization: Organization) -> None:
    run(lambda: WorkOrders(unlimited_organization))
