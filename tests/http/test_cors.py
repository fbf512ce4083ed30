"""Scripts of other origins: let in where the deployment says so, and nowhere else."""

import httpx
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.service import Service

from steward.kit.http.cors import SHOWN

PORTAL, STRANGER = "https://portal.example.com", "https://stranger.example.com"


def _ask(client: Client, path: str, origin: str, method: str = "PATCH") -> httpx.Response:
    asked = {"access-control-request-method": method, "access-control-request-headers": "x-api-key"}
    return client.request("OPTIONS", path, headers={"origin": origin, **asked})


def _allowed(answer: httpx.Response) -> str | None:
    return answer.headers.get("access-control-allow-origin")


def test_a_configured_origin_can_call_the_api(service: Service, organization: Organization) -> None:
    base = service.another_api(STEWARD_CORS_ORIGINS=f"{PORTAL},http://localhost:5173").base_url
    nobody, caller = Client(base), Client(base, key=organization.secret)
    path = f"{organization.path}/work-orders"

    preflight = _ask(nobody, path, PORTAL)
    assert (preflight.status_code, _allowed(preflight), preflight.content) == (204, PORTAL, b"")
    assert "PATCH" in preflight.headers["access-control-allow-methods"]
    assert {"x-api-key", "idempotency-key", "if-match", "content-type"} <= {
        name.strip().lower() for name in preflight.headers["access-control-allow-headers"].split(",")
    }
    assert "access-control-allow-credentials" not in preflight.headers

    def left(origin: str) -> int:
        answer = caller.get(path, headers={"origin": origin})
        assert answer.status_code == 200
        return int(answer.headers["ratelimit"].partition("r=")[2].partition(";")[0])

    before = left(PORTAL)
    assert [_ask(caller, path, PORTAL).status_code for _ in range(5)] == [204] * 5
    assert left(PORTAL) == before - 1, "a preflight is counted by no limit"

    from_portal = {"origin": PORTAL}
    made = caller.post(path, json={"title": "Leak"}, headers=from_portal)
    answers = [
        made,
        caller.get(f"{path}/{data_of(made)['id']}", headers=from_portal),
        caller.get(f"{path}.csv", headers=from_portal),
        caller.get(f"{path}/", headers=from_portal),
        caller.post(path, json={}, headers=from_portal),
        nobody.get(path, headers=from_portal),
        nobody.get("/nowhere", headers=from_portal),
        nobody.get("/openapi.json", headers=from_portal),
    ]
    assert [answer.status_code for answer in answers] == [201, 200, 200, 308, 422, 401, 404, 200]
    for answer in answers:
        assert (_allowed(answer), answer.headers["x-request-id"][:4]) == (PORTAL, "req_")
        assert "origin" in answer.headers["vary"]
        assert answer.headers["access-control-expose-headers"] == ", ".join(SHOWN)

    strange = caller.get(path, headers={"origin": STRANGER})
    assert (strange.status_code, _allowed(strange), strange.headers["vary"]) == (200, None, "origin")
    assert _ask(nobody, path, STRANGER).status_code == 405
    assert nobody.request("OPTIONS", path, headers=from_portal).status_code == 405, "no preflight"
    for page in ("/app/login", "/docs", "/static/steward.css"):
        assert _allowed(nobody.get(page, headers=from_portal)) is None, page
        assert _allowed(_ask(nobody, page, PORTAL)) is None, page


def test_by_default_no_origin_is_allowed(shared_organization: Organization) -> None:
    path = f"{shared_organization.path}/roles"
    answer = shared_organization.api.get(path, headers={"origin": PORTAL})
    assert not {name for name in answer.headers if name.startswith("access-control-")}
    assert "origin" not in answer.headers.get("vary", "")
    assert _ask(shared_organization.api, path, PORTAL).status_code == 405
