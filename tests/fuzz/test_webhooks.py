"""Webhooks against a model: secrets are shown once, and every event leaves a delivery for each subscriber."""

from collections import Counter
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, consumes, initialize, precondition, rule
from tests.fuzz.machines import Machine, expect, run
from tests.support.organizations import Organization

WISHES = st.sampled_from(
    [
        ["*"],
        ["workorder.*"],
        ["workorder.created"],
        ["asset.created", "visitor.*"],
        ["booking.*"],
        ["webhook.*"],
    ]
)
HEARS_ORDERS = {"*", "workorder.*", "workorder.created"}
HEARS_WEBHOOKS = {"*", "webhook.*"}
# Allowed to this API process and not to the worker: nothing is ever sent there, and there is no name to resolve.
URLS = st.sampled_from(["https://127.0.0.1:9/a", "https://127.0.0.1:9/b"])
REFUSED = st.sampled_from(["ftp://127.0.0.1/", "https://user:word@127.0.0.1/", "https://", "no address"])
MAX_ENTRIES = 50


class Webhooks(Machine):
    webhooks = Bundle("webhooks")

    @property
    def path(self) -> str:
        return f"/v2{self.organization.path}/webhooks"

    @initialize(target=webhooks, url=URLS, events=WISHES)
    def first(self, url: str, events: list[str]) -> Any:
        return self.create(url, events)

    @rule(target=webhooks, url=URLS, events=WISHES)
    def make(self, url: str, events: list[str]) -> Any:
        return self.create(url, events)

    def create(self, url: str, events: list[str]) -> Any:
        answer = self.organization.api.post(self.path, json={"url": url, "events": events})
        made = expect(answer, 201)
        assert made["signingSecret"].endswith(made["secretLastFour"])
        self.known[made["webhookId"]] = {
            "url": url,
            "events": events,
            "status": "active",
            "last_four": made["secretLastFour"],
            "etag": answer.headers["ETag"],
            "deliveries": Counter(),
        }
        self.others_hear(made["webhookId"], "webhook.created")
        return made["webhookId"]

    def others_hear(self, webhook: str, type: str) -> None:
        for id, model in self.known.items():
            if id != webhook and HEARS_WEBHOOKS & set(model["events"]):
                model["deliveries"][type] += 1

    @precondition(lambda self: self.number < 2)
    @rule(url=REFUSED)
    def refused(self, url: str) -> None:
        self.number += 1
        expect(self.organization.api.post(self.path, json={"url": url, "events": ["*"]}), 422)

    @rule(
        webhook=webhooks,
        url=URLS,
        events=WISHES,
        status=st.sampled_from(["active", "paused"]),
        stale=st.sampled_from([False, False, True]),
    )
    def change(self, webhook: str, url: str, events: list[str], status: str, stale: bool) -> None:
        model = self.known[webhook]
        # The worker's failures change what a webhook shows, so that only an invented validator surely fails.
        headers = {"If-Match": '"made-up"'} if stale else {}
        body = {"url": url, "events": events, "status": status}
        answer = self.organization.api.patch(f"{self.path}/{webhook}", json=body, headers=headers)
        if stale:
            expect(answer, 412)
            return
        assert "signingSecret" not in expect(answer, 200)
        if any(model[name] != value for name, value in body.items()):
            self.others_hear(webhook, "webhook.updated")
        model |= body
        self.test(webhook)

    @rule(webhook=webhooks, grace=st.sampled_from([0, 3600]))
    def rotate(self, webhook: str, grace: int) -> None:
        model = self.known[webhook]
        answer = self.organization.api.post(
            f"{self.path}/{webhook}/rotate-secret", json={"graceSeconds": grace}
        )
        if answer.status_code == 409:  # ten older ones are in their grace
            assert grace
            return
        rotated = expect(answer, 200)
        assert rotated["signingSecret"].endswith(rotated["secretLastFour"])
        model["last_four"] = rotated["secretLastFour"]
        self.others_hear(webhook, "webhook.rotated")

    @rule(webhook=webhooks)
    def try_it(self, webhook: str) -> None:
        self.test(webhook)

    def test(self, webhook: str) -> None:
        model = self.known[webhook]
        answer = self.organization.api.post(f"{self.path}/{webhook}/test")
        if model["status"] == "active":
            expect(answer, 202)
            model["deliveries"]["webhook.test"] += 1
        else:
            expect(answer, 409)

    @rule(times=st.integers(1, 3))
    def something_happens(self, times: int) -> None:
        for _ in range(times):
            self.organization.created("work-orders", {"title": "Leak"})
        for model in self.known.values():
            if HEARS_ORDERS & set(model["events"]):
                model["deliveries"]["workorder.created"] += times

    @rule(webhook=consumes(webhooks))
    def delete(self, webhook: str) -> None:
        self.remove(webhook)

    def remove(self, webhook: str) -> None:
        expect(self.organization.api.delete(f"{self.path}/{webhook}"), 200)
        expect(self.organization.api.get(f"{self.path}/{webhook}"), 404)
        del self.known[webhook]
        self.others_hear(webhook, "webhook.deleted")

    def teardown(self) -> None:
        listed = expect(self.organization.api.get(self.path, params={"limit": 100}), 200)
        assert {one["webhookId"] for one in listed} >= set(self.known)
        for id, model in list(self.known.items()):
            found = expect(self.organization.api.get(f"{self.path}/{id}"), 200)
            assert {name: found[name] for name in ("url", "events", "status")} == {
                name: model[name] for name in ("url", "events", "status")
            }
            assert (found["secretLastFour"], "signingSecret" in found) == (model["last_four"], False)
            deliveries = expect(
                self.organization.api.get(f"{self.path}/{id}/deliveries", params={"limit": 100}), 200
            )
            if model["deliveries"].total() < 100:
                assert Counter(one["eventType"] for one in deliveries) == model["deliveries"]
            self.remove(id)


def test_webhooks_agree_with_the_model(unlimited_organization: Organization) -> None:
    run(lambda: Webhooks(unlimited_organization))


def test_an_organization_has_no_more_webhooks_than_it_may(unlimited_organization: Organization) -> None:
    path, body = (
        f"/v2{unlimited_organization.path}/webhooks",
        {"url": "https://127.0.0.1:9/", "events": ["*"]},
    )
    for _ in range(MAX_ENTRIES):
        expect(unlimited_organization.api.post(path, json=body), 201)
    expect(unlimited_organization.api.post(path, json=body), 409)
