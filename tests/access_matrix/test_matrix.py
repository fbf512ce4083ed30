"""Every route, whatever it does, treats strangers, lesser keys and other tenants alike.

The rows come from the document, so a new route is in the matrix from its first day; one that names a record in a way that
the matrix does not know fails it.
"""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization, close_clients
from tests.support.sample_records import NO_REFERENCES, REFERENCES, SampleRecords
from tests.support.service import Service

from steward.kit.security.permissions import WIDER, Permission
from steward.roles.model import BUILT_IN
from steward.wiring.routes import api_document

DOCUMENT = api_document()
ROUTES = {
    f"{method.upper()} {path}": operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if operation["security"]
}
WITH_ID = [name for name in ROUTES if name.count("{") > 1]
# What isn't there is made under the name that another tenant has given to something of its own.
MAKING = [
    name for name in WITH_ID if name.startswith("PUT") and name.endswith("/by-external-id/{externalId}")
]
WITH_BODY = [
    name for name in ROUTES if "application/json" in ROUTES[name].get("requestBody", {}).get("content", {})
]
LOOKS_LIKE_A_REFERENCE = re.compile(r".*(Id|Ids|By)$")


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def _body_fields(name: str) -> dict[str, Any]:
    schema = ROUTES[name]["requestBody"]["content"]["application/json"]["schema"]
    return _resolved(schema).get("properties", {})


POINTING = [
    (name, field)
    for name in WITH_BODY
    for field in _body_fields(name)
    if LOOKS_LIKE_A_REFERENCE.fullmatch(field) and field not in NO_REFERENCES
]


class TwoTenants:
    def __init__(self, service: Service) -> None:
        api = service.another_api(STEWARD_KEY_REQUESTS_PER_MINUTE="100000", STEWARD_WEBHOOK_ALLOW_LOCAL="on")

        def new_organization() -> Organization:
            return Organization(api.base_url, service.database_url, "Enterprise")

        self.ours, self.theirs = SampleRecords(new_organization()), SampleRecords(new_organization())
        self.nobody = Client(api.base_url)
        self.changing = ChangingKey(self.ours.organization)
        self.lesser = {
            permission: self.ours.organization.client(
                key=self.ours.organization.new_key(permission)["secret"]
            )
            for permission in ("decks:read", "forms:read")
        }


class ChangingKey:
    """A key that may do what its maker may do, whose one role is given other permissions again and again."""

    def __init__(self, organization: Organization) -> None:
        self._organization = organization
        role = organization.created("roles", {"name": "Changing", "permissions": ["api-keys:create"]})
        self._path = f"{organization.path}/roles/{role['id']}"
        maker = organization.new_user(roleIds=[role["id"]])
        client = organization.client(bearer=organization.log_in(maker["email"])["token"])
        made = client.post(f"{organization.path}/api-keys", json={"name": "Changing", "permissions": None})
        self._client = organization.client(key=data_of(made)["secret"])

    def with_permissions(self, held: list[str]) -> Client:
        answer = self._organization.api.patch(self._path, json={"permissions": held})
        assert answer.status_code == 200, answer.text
        return self._client


@pytest.fixture(scope="module")
def tenants(running_service: Service) -> Iterator[TwoTenants]:
    yield TwoTenants(running_service)
    close_clients()
    running_service.stop_others()


def _send(
    client: httpx.Client,
    records: SampleRecords,
    name: str,
    ids: dict[str, str] | None = None,
    body: Any = None,
) -> httpx.Response:
    method, template = name.split(" ", 1)
    content = ROUTES[name].get("requestBody", {}).get("content", {})
    path = records.path(template, ids)
    if "text/csv" in content:
        return client.request(method, path, content="name\n", headers={"Content-Type": "text/csv"})
    if content:
        example = content["application/json"]["example"]
        return client.request(method, path, json=records.adapt(example) if body is None else body)
    return client.request(method, path)


def test_the_sample_world_has_every_resource_of_the_paths(tenants: TwoTenants) -> None:
    named = {part for name in ROUTES for part in re.findall(r"{(\w+)}", name)} - {"orgId"}
    assert named <= tenants.ours.ids.keys(), "teach tests/support/sample_records.py to make one"


def test_every_field_that_looks_like_a_reference_is_known_to_be_one() -> None:
    assert {field for _, field in POINTING} <= set(REFERENCES)


@pytest.mark.parametrize("name", ROUTES)
def test_without_credentials_the_answer_is_401(tenants: TwoTenants, name: str) -> None:
    assert _send(tenants.nobody, tenants.ours, name).status_code == 401


@pytest.mark.parametrize("name", ROUTES)
def test_without_the_permission_the_answer_is_403(tenants: TwoTenants, name: str) -> None:
    lesser = tenants.lesser["forms:read" if "/decks" in name else "decks:read"]
    answer = _send(lesser, tenants.ours, name)
    assert answer.status_code == 403
    needed = re.search(r"Needs the permission `(.*?)`", ROUTES[name]["description"])
    assert needed is not None
    assert needed[1] in answer.json()["message"]


REQUESTER = sorted(BUILT_IN["Requester"][1])


@pytest.mark.parametrize("held", [[permission] for permission in Permission] + [REQUESTER], ids=" ".join)
def test_a_permission_opens_only_its_own_pages(tenants: TwoTenants, held: list[str]) -> None:
    """Every operation, called by a requester's key and by a key with each single permission."""
    key = tenants.changing.with_permissions(held)
    absent = dict.fromkeys(tenants.ours.ids, "xxx_0")
    opened, named = set(), set()
    for name in ROUTES:
        answer = _send(key, tenants.ours, name, absent, body={})
        if answer.status_code != 403:
            opened.add(name)
        needed = ROUTES[name]["description"].rpartition("Needs the permission")[2]
        if any(f"`{permission}`" in needed for permission in held):
            named.add(name)
    assert opened == named
    if any(permission in WIDER for permission in held):
        assert len(opened) > 5


@pytest.mark.parametrize("name", ROUTES)
def test_in_another_organization_the_answer_is_403(tenants: TwoTenants, name: str) -> None:
    answer = _send(tenants.ours.organization.api, tenants.theirs, name)
    assert answer.status_code == 403
    assert answer.json()["error"] == "Forbidden"


@pytest.mark.parametrize("name", [name for name in WITH_ID if name not in MAKING])
def test_an_identifier_of_another_tenant_is_not_found(tenants: TwoTenants, name: str) -> None:
    placeholders = set(re.findall(r"{(\w+)}", name)) - {"orgId", "version"}
    foreign = {placeholder: tenants.theirs.ids[placeholder] for placeholder in placeholders}
    absent = {placeholder: f"{placeholder[:3]}_0" for placeholder in placeholders}
    answers = [_send(tenants.ours.organization.api, tenants.ours, name, ids) for ids in (foreign, absent)]
    if "import" in name:  # an import into something absent is refused by its rows or by the path
        assert {answer.status_code for answer in answers} <= {404, 422}
        return
    assert [answer.status_code for answer in answers] == [404, 404]
    first, second = (answer.json() for answer in answers)
    assert first["message"] == second["message"], "the answer tells the foreign from the absent"


@pytest.mark.parametrize("name", MAKING)
def test_a_name_used_by_another_tenant_is_available(tenants: TwoTenants, name: str) -> None:
    """Another organization's record is neither found nor touched; in one's own the name is free."""
    ours = {"externalId": tenants.ours.ids["externalId"]}
    reading = name.replace("PUT", "GET")
    before = _send(tenants.ours.organization.api, tenants.ours, reading).json()
    made = _send(tenants.theirs.organization.api, tenants.theirs, name, ours)
    assert made.status_code == 201, made.text
    again = _send(tenants.theirs.organization.api, tenants.theirs, reading, ours)
    assert again.json() == made.json()
    assert _send(tenants.ours.organization.api, tenants.ours, reading).json() == before


# What these take is written by other people's programs, which add fields as they like.
FREE_FORM = {f"POST /organizations/{{orgId}}/integrations/{server}" for server in ("chirpstack", "ttn")}


@pytest.mark.parametrize("name", [name for name in WITH_BODY if name not in FREE_FORM])
def test_an_unknown_field_is_named(tenants: TwoTenants, name: str) -> None:
    example = ROUTES[name]["requestBody"]["content"]["application/json"]["example"]
    answer = _send(
        tenants.ours.organization.api, tenants.ours, name, body={**tenants.ours.adapt(example), "surprise": 1}
    )
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == "surprise"


@pytest.mark.parametrize("name", ROUTES)
def test_an_unknown_query_parameter_is_named(tenants: TwoTenants, name: str) -> None:
    method, template = name.split(" ", 1)
    answer = tenants.ours.organization.api.request(
        method, tenants.ours.path(template), params={"surprise": "1"}
    )
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == "surprise"


@pytest.mark.parametrize(("name", "field"), POINTING)
@pytest.mark.parametrize("pick", ["foreign", "absent"])
def test_a_reference_that_is_not_ours_is_named(tenants: TwoTenants, name: str, field: str, pick: str) -> None:
    id = tenants.theirs.ids[REFERENCES[field]] if pick == "foreign" else f"{REFERENCES[field][:3]}_0"
    example = ROUTES[name]["requestBody"]["content"]["application/json"]["example"]
    value: Any = [id] if field.endswith("Ids") else id
    answer = _send(
        tenants.ours.organization.api, tenants.ours, name, body={**tenants.ours.adapt(example), field: value}
    )
    assert answer.status_code == 422, answer.text
    assert answer.json()["details"][0]["field"].startswith(field)


@pytest.mark.parametrize("name", [name for name in ROUTES if name.startswith("GET")])
def test_built_in_files_can_be_read(tenants: TwoTenants, name: str) -> None:
    """The refusals above would mean little if the same requests failed anyway."""
    query = "?from=1800000000&to=1800003600" if name.endswith(("/availability", "/resources/free")) else ""
    method, template = name.split(" ", 1)
    assert (
        tenants.ours.organization.api.request(method, tenants.ours.path(template) + query).status_code == 200
    )
