"""The records of one kind that an organization has, as its owner makes, reads and changes them over HTTP."""

from typing import TYPE_CHECKING, Any

import httpx
from tests.support.answers import data_of

if TYPE_CHECKING:
    from tests.support.organizations import Client, Organization

Record = dict[str, Any]


class Collection:
    """What answers with a response leaves the judgement to the test; everything else fails unless it succeeds."""

    id_field = "id"

    def __init__(self, organization: "Organization", resource: str, *, version: str = "") -> None:
        self.organization = organization
        self.path = f"{version}{organization.path}/{resource}"

    @property
    def api(self) -> "Client":
        return self.organization.api

    def path_of(self, record: Record | str, rest: str = "") -> str:
        id = record if isinstance(record, str) else record[self.id_field]
        return f"{self.path}/{id}{rest}"

    def create(self, **fields: Any) -> Record:
        return _data(self.api.post(self.path, json=fields), 201)

    def read(self, record: Record | str) -> Record:
        return _data(self.api.get(self.path_of(record)), 200)

    def listed(self, **query: Any) -> list[Record]:
        answer = self.api.get(self.path, params=query)
        assert answer.status_code == 200, answer.text
        found: list[Record] = data_of(answer)
        return found

    def ids(self, **query: Any) -> list[str]:
        return [record[self.id_field] for record in self.listed(**query)]

    def patch(self, record: Record | str, **changes: Any) -> httpx.Response:
        return self.api.patch(self.path_of(record), json=changes)

    def change(self, record: Record | str, **changes: Any) -> Record:
        return _data(self.patch(record, **changes), 200)

    def post_verb(self, record: Record | str, verb: str) -> httpx.Response:
        return self.api.post(self.path_of(record, f"/{verb}"))

    def move(self, record: Record, *verbs: str) -> Record:
        """Through one move after the other; returns the record as the last one left it."""
        for verb in verbs:
            record = _data(self.post_verb(record, verb), 200)
        return record


def _data(answer: httpx.Response, status: int) -> Record:
    assert answer.status_code == status, answer.text
    data: Record = data_of(answer)
    return data
