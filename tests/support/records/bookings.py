"""Resources and their bookings."""

from typing import TYPE_CHECKING, Any

import httpx
from tests.support.records.collection import Collection, Record

from steward.bookings.jobs import release_no_shows

if TYPE_CHECKING:
    from tests.support.organizations import Organization


class Resources(Collection):
    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "resources")

    def create(self, **fields: Any) -> Record:
        return super().create(**{"name": "Room Elbe", "type": "Room", **fields})


class Bookings(Collection):
    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "bookings")

    def post(self, resource: Record, start: int, end: int, **more: Any) -> httpx.Response:
        body = {"resourceId": resource["id"], "startTime": start, "endTime": end, **more}
        return self.api.post(self.path, json=body)

    def book(self, resource: Record, start: int, end: int, **more: Any) -> Record:
        return self.create(resourceId=resource["id"], startTime=start, endTime=end, **more)

    def release_no_shows(self, now: int) -> int:
        """What the worker does, as if it were this moment."""
        return self.organization.with_pool(lambda pool: release_no_shows(pool, now))
