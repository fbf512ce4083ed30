"""Bodies and queries: what is taken, what is refused, and that the refusal names the place."""

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

MIB = 1024 * 1024
JSON = {"Content-Type": "application/json"}


def post(
    organization: Organization, content: bytes, content_type: str | None = "application/json"
) -> httpx.Response:
    headers = {} if content_type is None else {"Content-Type": content_type}
    return organization.api.post(f"{organization.path}/work-orders", content=content, headers=headers)


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"nonsense",
        b'{"title": "x"} trailing',
        b"{'title': 'x'}",
        b'{"title": NaN}',
        b"\xff\xfe{}",
        b"\0",
    ],
)
def test_invalid_json_is_a_bad_request(shared_organization: Organization, content: bytes) -> None:
    answer = post(shared_organization, content)
    assert (answer.status_code, answer.json()["error"]) == (400, "BadRequest")


@pytest.mark.parametrize("content", [b"[]", b'[{"title": "x"}]', b'"title"', b"5", b"null", b"true"])
def test_json_that_is_no_object_is_invalid(shared_organization: Organization, content: bytes) -> None:
    answer = post(shared_organization, content)
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert answer.json()["details"]


@pytest.mark.parametrize(
    "content",
    [b'{"title": "a\\u0000b"}', b'{"title": "\\u0000"}', b'{"title": "a\\\\\\u0000"}', b'{"a\\u0000b": "x"}'],
)
def test_the_nul_character_is_invalid(shared_organization: Organization, content: bytes) -> None:
    answer = post(shared_organization, content)
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")


def test_a_backslash_before_u0000_is_no_nul_character(organization: Organization) -> None:
    answer = post(organization, b'{"title": "a\\\\u0000b"}')
    assert (answer.status_code, data_of(answer)["title"]) == (201, "a\\u0000b")


@pytest.mark.parametrize(
    "content", [b'{"title": "\\ud800"}', b'{"title": "a\\udfffb"}', b'{"title": "\xed\xa0\x80"}']
)
def test_half_a_character_is_refused(shared_organization: Organization, content: bytes) -> None:
    assert post(shared_organization, content).status_code in {400, 422}


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize("before", [b"", b'{"title": ', b'{"unknown": '])
def test_a_very_deep_body_is_refused(shared_organization: Organization, before: bytes, depth: int) -> None:
    content = before + b"[" * depth + b"]" * depth + (b"}" if before else b"")
    assert post(shared_organization, content).status_code in {400, 422}


def test_a_body_of_one_mebibyte_is_read_and_one_byte_more_is_not(organization: Organization) -> None:
    body = b'{"title": "Leak"}'
    assert post(organization, body + b" " * (MIB - len(body))).status_code == 201
    assert post(organization, body + b" " * (MIB - len(body) + 1)).status_code == 413


MEDIA_TYPES = {
    "application/json": 201,
    "application/json; charset=utf-8": 201,
    'Application/JSON; charset="UTF-8"': 201,
    None: 201,
    "text/plain": 415,
    "application/x-www-form-urlencoded": 415,
    "application/json; charset=latin-1": 415,
    "multipart/form-data; boundary=x": 415,
}


def test_only_json_is_taken(organization: Organization) -> None:
    for content_type, status in MEDIA_TYPES.items():
        assert post(organization, b'{"title": "Leak"}', content_type).status_code == status, content_type


@pytest.mark.parametrize("headers", [{}, JSON, {"Content-Type": "text/plain"}])
def test_an_absent_body_equals_an_empty_object(shared_organization: Organization, headers: dict) -> None:
    answer = shared_organization.api.post(f"{shared_organization.path}/work-orders", headers=headers)
    assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, "title")


TEXTS = [
    "Ärger im Büro",
    "水漏れ 3階",
    "תקלה במעלית",
    "🛠️👩🏽‍🔧",
    "e\u0301 and é",
    "\U0010ffff\u2028\u202e",
    'quote " and \\ back\tslash\nline',
    "<script>alert(1)</script> & co",
]


def test_text_comes_back_as_it_was_sent(organization: Organization) -> None:
    for text in TEXTS:
        order = organization.created("work-orders", {"title": text, "description": text * 3})
        assert (order["title"], order["description"]) == (text, text * 3)
        assert data_of(organization.api.get(f"{organization.path}/work-orders/{order['id']}")) == order
        assert data_of(organization.api.get(f"{organization.path}/work-orders?limit=1")) == [order]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"title": "Leak", "titel": "x"}, "titel"),
        ({"title": "Leak", "assignee_id": None}, "assignee_id"),
        ({"title": "Leak", "id": "wo_mine"}, "id"),
        ({"title": "Leak", "status": "Completed"}, "status"),
        ({"priority": "High"}, "title"),
        ({"title": None}, "title"),
        ({"title": ["x"]}, "title"),
        ({"title": ""}, "title"),
        ({"title": " \t"}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"title": "x", "description": "x" * 10_001}, "description"),
        ({"title": "x", "priority": "Urgent"}, "priority"),
        ({"title": "x", "priority": "high"}, "priority"),
        ({"title": "x", "assigneeId": ""}, "assigneeId"),
    ],
)
def test_a_wrong_field_is_named(shared_organization: Organization, body: dict, field: str) -> None:
    answer = shared_organization.api.post(f"{shared_organization.path}/work-orders", json=body)
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert [detail["field"] for detail in answer.json()["details"]] == [field]
    assert field in answer.json()["message"]
    assert data_of(shared_organization.api.get(f"{shared_organization.path}/work-orders")) == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("stauts=Open", "stauts"),
        ("Limit=5", "Limit"),
        ("status=open", "status"),
        ("status=", "status"),
        ("limit=5&limit=5", "limit"),
    ],
)
def test_a_wrong_parameter_is_named(shared_organization: Organization, query: str, field: str) -> None:
    answer = shared_organization.api.get(f"{shared_organization.path}/work-orders?{query}")
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert [detail["field"] for detail in answer.json()["details"]] == [field]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", ""), ("POST", "/work-orders"), ("PATCH", ""), ("DELETE", "/roles/rol_x")]
)
def test_parameters_where_none_are_taken_are_named(
    shared_organization: Organization, method: str, path: str
) -> None:
    answer = shared_organization.api.request(method, f"{shared_organization.path}{path}?dryRun=true")
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == "dryRun"


class TestPatch:
    @pytest.fixture
    def role(self, organization: Organization) -> dict:
        return organization.created(
            "roles", {"name": "Night", "description": "At night", "permissions": ["forms:read"]}
        )

    def patch(self, organization: Organization, role: dict, body: dict) -> httpx.Response:
        return organization.api.patch(f"{organization.path}/roles/{role['id']}", json=body)

    def test_absent_fields_keep_their_values(self, organization: Organization, role: dict) -> None:
        changed = data_of(self.patch(organization, role, {"name": "Day"}))
        assert changed == role | {"name": "Day", "updated": changed["updated"]}

    def test_with_nothing_in_it_changes_nothing(self, organization: Organization, role: dict) -> None:
        assert data_of(self.patch(organization, role, {})) == role

    def test_clears_what_is_null(self, organization: Organization, role: dict) -> None:
        assert data_of(self.patch(organization, role, {"description": None}))["description"] is None
        assert data_of(organization.api.get(f"{organization.path}/roles/{role['id']}"))["description"] is None

    def test_cannot_clear_what_is_required(self, organization: Organization, role: dict) -> None:
        answer = self.patch(organization, role, {"name": None})
        assert answer.status_code == 422
        assert answer.json()["details"] == [{"field": "name", "message": "must not be null"}]

    def test_clears_lists_too(self, organization: Organization, role: dict) -> None:
        changed = self.patch(organization, role, {"permissions": None})
        assert (changed.status_code, data_of(changed)["permissions"]) == (200, [])
        order = organization.created("work-orders", {"title": "x", "checklist": [{"text": "a"}]})
        path = f"{organization.path}/work-orders/{order['id']}"
        assert data_of(organization.api.patch(path, json={"checklist": None}))["checklist"] == []
        hook = data_of(
            organization.api.post(
                f"/v2{organization.path}/webhooks", json={"url": "https://example.com/x", "events": ["*"]}
            )
        )
        path = f"/v2{organization.path}/webhooks/{hook['webhookId']}"
        answer = organization.api.patch(path, json={"events": None})
        assert answer.json()["details"] == [{"field": "events", "message": "must not be null"}]

    def test_names_a_field_that_is_not_there(self, organization: Organization, role: dict) -> None:
        answer = self.patch(organization, role, {"descripton": "x"})
        assert answer.json()["details"][0]["field"] == "descripton"


def test_head_answers_like_get_without_a_body(shared_organization: Organization) -> None:
    for path in (shared_organization.path, f"{shared_organization.path}/work-orders", "/health/live"):
        get, head = shared_organization.api.get(path), shared_organization.api.head(path)
        assert (head.status_code, head.content) == (200, b"")
        for name in ("content-length", "content-type", "etag"):
            assert head.headers.get(name) == get.headers.get(name)
    assert shared_organization.api.head("/nothing").status_code == 404
    assert shared_organization.client().head(shared_organization.path).status_code == 401
