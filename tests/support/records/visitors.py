"""Visitors, as the front desk registers them."""

from typing import TYPE_CHECKING, Any

from tests.support.records.collection import Collection, Record

if TYPE_CHECKING:
    from tests.support.organizations import Organization

ADA = {
    "name": "Ada Lovelace",
    "email": "ada@example.com",
    "company": "Analytical Engines",
    "phone": "+44 2079461815",
    "vehicle": "AL-1815-LOVELACE",
}
_WAYS = {
    "Registered": [],
    "CheckedIn": ["check-in"],
    "CheckedOut": ["check-in", "check-out"],
    "Cancelled": ["cancel"],
}


class Visitors(Collection):
    def __init__(self, organization: "Organization") -> None:
        super().__init__(organization, "visitors")

    def create(self, **fields: Any) -> Record:
        return super().create(**{**ADA, **fields})

    def create_in_status(self, status: str, **fields: Any) -> Record:
        return self.move(self.create(**fields), *_WAYS[status])
