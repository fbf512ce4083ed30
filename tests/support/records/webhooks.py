"""Webhooks with the deliveries that wait for them."""

from typing import TYPE_CHECKING, Any

from tests.support.answers import data_of
from tests.support.records.collection import Collection, Record

from steward.webhooks.replays.jobs import run_replays

if TYPE_CHECKING:
    from tests.support.organizations import Organization

# An address that needs no resolving; nothing is ever sent to it.
URL = "https://93.184.215.14/steward"


class Webhooks(Collection):
    id_field = "webhookId"

    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "webhooks", version="/v2")

    def create(self, *events: str, **fields: Any) -> Record:
        return super().create(**{"url": URL, "events": list(events or ("*",)), **fields})

    def deliveries(self, webhook: Record, **query: Any) -> list[Record]:
        """Oldest first."""
        answer = self.api.get(self.path_of(webhook, "/deliveries"), params={"limit": 100, **query})
        assert answer.status_code == 200, answer.text
        found: list[Record] = data_of(answer)[::-1]
        return found

    def queued_types(self, webhook: Record) -> list[str]:
        """The types of the events that were queued for it."""
        return [delivery["eventType"] for delivery in self.deliveries(webhook)]

    def finish_delivery(self, delivery: Record, status: str, attempts: int = 1) -> None:
        """As a worker leaves it."""
        self.organization.sql(
            """UPDATE deliveries SET status = $3, reason = 'exhausted', attempts = $4, due = NULL, lease_until = NULL,
                                     finished = created * 1000
               WHERE organization_id = $1 AND id = $2""",
            self.organization.id,
            delivery["id"],
            status,
            attempts,
        )

    def run_replays(self, now: int, **more: Any) -> int:
        """For databases that no worker looks into: a replay that a worker holds just then is passed over."""
        return self.organization.with_pool(lambda pool: run_replays(pool, now, **more))
