"""What every refusal looks like, in which order the checks come, and what never gets out."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization

MIB = 1024 * 1024
CODES = {
    400: "BadRequest",
    401: "Unauthenticated",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    412: "PreconditionFailed",
    413: "PayloadTooLarge",
    415: "UnsupportedMediaType",
    422: "ValidationError",
}


def chunked(size: int) -> Iterator[bytes]:
    for start in range(0, size, 65536):
        yield b" " * min(65536, size - start)


def requests(organization: Organization) -> dict[str, tuple[int, Callable[[], httpx.Response]]]:
    api, orders = organization.api, f"{organization.path}/work-orders"
    as_json = {"Content-Type": "application/json"}
    return {
        "a body that is not JSON": (400, lambda: api.post(orders, content=b"{", headers=as_json)),
        "no credentials": (401, lambda: organization.client().get(orders)),
        "an unknown key": (401, lambda: organization.client(key="svc_live_" + "e" * 32).get(orders)),
        "another's organization": (403, lambda: api.get("/organizations/org_other/work-orders")),
        "an unknown path": (404, lambda: api.get("/nothing")),
        "an unknown id": (404, lambda: api.get(f"{orders}/wo_unknown")),
        "a method that the path lacks": (405, lambda: api.put(orders)),
        "a conflict": (409, lambda: api.post(f"{organization.path}/roles", json={"name": "Viewer"})),
        "a stale If-Match": (
            412,
            lambda: api.patch(organization.path, json={"name": "X"}, headers={"If-Match": '"x"'}),
        ),
        "a body that is too large": (413, lambda: api.post(orders, content=b" " * (MIB + 1))),
        "a chunked body that is too large": (413, lambda: api.post(orders, content=chunked(MIB + 1))),
        "a body of another type": (
            415,
            lambda: api.post(orders, content=b"x", headers={"Content-Type": "text/plain"}),
        ),
        "a missing field": (422, lambda: api.post(orders, json={})),
        "a wrong parameter": (422, lambda: api.get(f"{orders}?limit=0")),
    }


@pytest.mark.parametrize(
    "name",
    [
        "a body that is not JSON",
        "no credentials",
        "an unknown key",
        "another's organization",
        "an unknown path",
        "an unknown id",
        "a method that the path lacks",
        "a conflict",
        "a stale If-Match",
        "a body that is too large",
        "a chunked body that is too large",
        "a body of another type",
        "a missing field",
        "a wrong parameter",
    ],
)
def test_every_refusal_has_the_same_shape(shared_organization: Organization, name: str) -> None:
    status, send = requests(shared_organization)[name]
    answer = send()
    body = answer.json()
    assert (answer.status_code, body["error"]) == (status, CODES[status])
    assert answer.headers["content-type"] == "application/json"
    assert body["message"]
    assert body["requestId"] == answer.headers["x-request-id"]
    assert body["requestId"].startswith("req_")
    expected = {"error", "message", "requestId"} | ({"details"} if status == 422 else set())
    assert set(body) == expected
    for detail in body.get("details", []):
        assert set(detail) == {"field", "message"}


def test_a_405_lists_the_allowed_methods(shared_organization: Organization) -> None:
    for path, allowed in (
        (shared_organization.path, {"GET", "PATCH"}),
        (f"{shared_organization.path}/work-orders", {"GET", "POST"}),
        (f"{shared_organization.path}/roles/rol_x", {"GET", "PATCH", "DELETE"}),
        ("/authentications/tokens", {"POST"}),
    ):
        answer = shared_organization.api.put(path)
        assert answer.status_code == 405
        assert {word.strip() for word in answer.headers["allow"].split(",")} - {"HEAD"} == allowed


def test_every_answer_has_a_request_id_of_its_own(organization: Organization) -> None:
    answers = [
        organization.api.get(organization.path),
        organization.api.post(f"{organization.path}/work-orders", json={"title": "Leak"}),
        organization.api.get(organization.path, headers={"If-None-Match": "*"}),
        organization.api.head(organization.path),
        organization.api.get("/nothing"),
        Client(organization.base_url).get("/health/live"),
        Client(organization.base_url).get("/.well-known/jwks.json"),
    ]
    ids = [answer.headers["x-request-id"] for answer in answers]
    assert all(re.fullmatch(r"req_\w{1,36}", id) for id in ids)
    assert len(set(ids)) == len(ids)


BAD_KEY = "svc_live_" + "d" * 32


class TestTheOrderOfChecks:
    """size → route → authentication → plan → organization → scope → rate limit → body → act."""

    def expect(self, answer: httpx.Response, status: int, words: str = "") -> None:
        assert (answer.status_code, words in answer.json()["message"]) == (status, True), answer.text

    def test_size_before_route(self, shared_organization: Organization) -> None:
        self.expect(Client(shared_organization.base_url).post("/nothing", content=b" " * (MIB + 1)), 413)

    def test_size_before_authentication(self, shared_organization: Organization) -> None:
        caller = shared_organization.client(key=BAD_KEY)
        self.expect(caller.post(f"{shared_organization.path}/work-orders", content=b" " * (MIB + 1)), 413)

    def test_route_before_authentication(self, shared_organization: Organization) -> None:
        self.expect(Client(shared_organization.base_url).get("/organizations/org_x/nothing"), 404)
        self.expect(Client(shared_organization.base_url).put(shared_organization.path), 405)

    def test_authentication_before_body(self, shared_organization: Organization) -> None:
        self.expect(
            shared_organization.client(key=BAD_KEY).post(
                f"{shared_organization.path}/work-orders", content=b"{"
            ),
            401,
            "Invalid API key",
        )

    def test_authentication_before_organization(self, shared_organization: Organization) -> None:
        self.expect(
            shared_organization.client(key=BAD_KEY).get("/organizations/org_other"), 401, "Invalid API key"
        )

    def test_format_before_knowledge_before_revocation(self, organization: Organization) -> None:
        key = organization.new_key()
        organization.api.delete(f"{organization.path}/api-keys/{key['keyId']}")
        for secret, text in (
            (key["secret"] + "x", "Invalid API key format"),
            (key["secret"][:-1] + ("a" if key["secret"][-1] != "a" else "b"), "Invalid API key"),
            (key["secret"], "API key has been revoked"),
        ):
            answer = organization.client(key=secret).get(organization.path)
            assert (answer.status_code, answer.json()["message"]) == (401, text)

    def test_revocation_before_plan(self, organization: Organization) -> None:
        key = organization.new_key()
        organization.api.delete(f"{organization.path}/api-keys/{key['keyId']}")
        organization.set_plan("Starter")
        self.expect(organization.client(key=key["secret"]).get(organization.path), 401, "revoked")

    def test_plan_before_organization(
        self, shared_organization: Organization, new_organization: Callable[..., Organization]
    ) -> None:
        self.expect(
            new_organization("Starter").api.get(shared_organization.path), 403, "Professional or Enterprise"
        )

    def test_plan_before_scope(self, organization: Organization) -> None:
        caller = organization.client(key=organization.new_key("forms:read")["secret"])
        organization.set_plan("Starter")
        self.expect(caller.get(organization.path), 403, "Professional or Enterprise")

    def test_organization_before_scope(
        self, organization: Organization, new_organization: Callable[..., Organization]
    ) -> None:
        caller = organization.client(key=organization.new_key("forms:read")["secret"])
        self.expect(caller.get(f"{new_organization().path}/roles"), 403, "belong")
        self.expect(caller.get(f"{organization.path}/roles"), 403, "roles:read")

    def test_scope_before_body(self, organization: Organization) -> None:
        caller = organization.client(key=organization.new_key("roles:read")["secret"])
        for content in (b"{", b"{}", b'{"unknown": 1}'):
            self.expect(caller.post(f"{organization.path}/roles", content=content), 403, "roles:write")
        self.expect(caller.get(f"{organization.path}/work-orders?limit=0"), 403, "work-orders:read")

    def test_body_before_existence(self, shared_organization: Organization) -> None:
        self.expect(
            shared_organization.api.patch(f"{shared_organization.path}/roles/rol_unknown", json={"name": ""}),
            422,
        )


class TestOtherTenants:
    def test_their_path_is_forbidden_whether_it_exists_or_not(
        self, shared_organization: Organization, new_organization: Callable[..., Organization]
    ) -> None:
        real, made_up = (
            shared_organization.api.get(f"/organizations/{id}/roles")
            for id in (new_organization().id, "org_made_up")
        )
        assert real.status_code == made_up.status_code == 403
        assert real.json() | {"requestId": ""} == made_up.json() | {"requestId": ""}

    @pytest.mark.parametrize("resource", ["work-orders", "roles", "users", "api-keys"])
    def test_their_ids_do_not_exist(
        self, shared_organization: Organization, new_organization: Callable[..., Organization], resource: str
    ) -> None:
        other = new_organization()
        if resource == "work-orders":
            other.created("work-orders", {"title": "Theirs"})
        first = data_of(other.api.get(f"{other.path}/{resource}"))[0]
        foreign = first.get("id") or first["keyId"]
        for method in ("GET", "PATCH", "DELETE"):
            theirs, unknown = (
                shared_organization.api.request(
                    method,
                    f"{shared_organization.path}/{resource}/{id}",
                    json={"title" if resource == "work-orders" else "name": "X"}
                    if method == "PATCH"
                    else None,
                )
                for id in (foreign, "xxx_unknown")
            )
            assert theirs.status_code == unknown.status_code
            assert theirs.status_code in {404, 405}
            assert theirs.json() | {"requestId": ""} == unknown.json() | {"requestId": ""}
        assert other.api.get(f"{other.path}/{resource}/{foreign}").status_code == 200

    @pytest.mark.parametrize("field", ["assigneeId", "reportedBy"])
    def test_their_users_cannot_be_named(
        self, shared_organization: Organization, new_organization: Callable[..., Organization], field: str
    ) -> None:
        for id in (new_organization().user_id, "usr_unknown"):
            answer = shared_organization.api.post(
                f"{shared_organization.path}/work-orders", json={"title": "Leak", field: id}
            )
            assert answer.status_code == 422
            assert [detail["field"] for detail in answer.json()["details"]] == [field]

    def test_their_roles_cannot_be_assigned(
        self, organization: Organization, new_organization: Callable[..., Organization]
    ) -> None:
        other = new_organization()
        role = data_of(other.api.get(f"{other.path}/roles"))[0]
        user = organization.new_user()
        answer = organization.api.patch(
            f"{organization.path}/users/{user['id']}", json={"roleIds": [role["id"]]}
        )
        assert answer.status_code == 422
        assert [detail["field"] for detail in answer.json()["details"]] == ["roleIds"]


def nasty(organization: Organization) -> list[tuple[str, str, dict[str, Any]]]:
    orders = f"{organization.path}/work-orders"
    text = {"Content-Type": "application/json"}
    return [
        ("POST", orders, {"json": {"title": "X", "assigneeId": "usr_nobody"}}),
        ("POST", orders, {"content": b'{"title": "\\u0000"}', "headers": text}),
        ("POST", orders, {"content": b'{"title": "\\ud800"}', "headers": text}),
        ("POST", orders, {"content": b'{"title": "\xff\xfe"}', "headers": text}),
        ("POST", orders, {"content": b"[" * 100_000, "headers": text}),
        ("POST", orders, {"content": b'{"title": ' + b"[" * 100_000, "headers": text}),
        ("POST", orders, {"content": b'{"x": ' * 50_000, "headers": text}),
        ("POST", orders, {"json": {"title": "'; DROP TABLE work_orders; --"}}),
        ("GET", f"{orders}?status='%20OR%201=1", {}),
        ("GET", f"{orders}?limit=99999999999999999999", {}),
        ("GET", f"{orders}?status=%00", {}),
        ("GET", f"{orders}?status=%ff", {}),
        ("GET", f"{orders}?limit=5&limit=6", {}),
        ("GET", f"{orders}?lastEvaluatedKey=%00%ff", {}),
        ("GET", f"{orders}/%00", {}),
        ("GET", f"{orders}/%ff%fe", {}),
        ("GET", f"{orders}/" + "x" * 5000, {}),
        ("GET", f"{orders}/'%20OR%20''='", {}),
        ("GET", f"{orders}/..%2f..%2froles", {}),
        ("PATCH", f"{organization.path}/roles/%F0%9F%8F%A0", {"json": {"name": "X"}}),
        (
            "POST",
            f"{organization.path}/users",
            {"json": {"email": "a@b", "name": "X", "password": "y" * 10, "roleIds": ["'"]}},
        ),
        ("POST", f"{organization.path}/roles", {"json": {"name": "administrator"}}),
        ("DELETE", f"{organization.path}/users/{organization.user_id}", {}),
        ("POST", "/authentications/tokens", {"json": {"account": "'", "password": "\\"}}),
        ("POST", "/authentications/tokens/refresh", {"json": {"refreshToken": "'.'"}}),
        ("POST", orders, {"json": {"title": "X"}, "headers": {"Idempotency-Key": "'"}}),
    ]


OWN_WORDS = re.compile(
    r"postgres|asyncpg|constraint|violates|relation |syntax error|duplicate key|foreign key|"
    r"traceback|File \"|\bSELECT\b|\bINSERT\b|msgspec|psql",
    re.IGNORECASE,
)


def test_errors_contain_no_internals(organization: Organization) -> None:
    for method, path, more in nasty(organization):
        answer = organization.api.request(method, path, **more)
        assert answer.status_code < 500, (method, path, answer.text)
        assert not OWN_WORDS.search(answer.text), (method, path, answer.text)
