"""Work orders."""

from typing import TYPE_CHECKING, Any

from tests.support.records.collection import Collection, Record

if TYPE_CHECKING:
    from tests.support.organizations import Organization


class WorkOrders(Collection):
    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "work-orders")

    def create(self, title: str = "Lift is stuck", **fields: Any) -> Record:
        return super().create(title=title, **fields)
