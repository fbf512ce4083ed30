"""The OWASP API Security Top 10 of 2023, one class for each; https://owasp.org/API-Security/editions/2023/en/0x11-t10/.

`tests/access_matrix` tries every route for strangers, lesser keys and other tenants. Here is what the list asks for beyond that;
the docstring of each class says where the rest is shown.
"""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.access_matrix.test_matrix import (
    DOCUMENT,
    FREE_FORM,
    ROUTES,
    WITH_BODY,
    _body_fields,
    _resolved,
    _send,
)
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Client, Organization, close_clients
from tests.support.processes import ApiProcess
from tests.support.sample_records import SampleRecords
from tests.support.service import Service
from tests.support.waiting import limit
from tests.webhook_delivery.test_url_guard import LOCAL_ADDRESSES

from steward.kit.security import url_guard as guard
from steward.webhook_delivery.prepare import SignedRequest
from steward.webhook_delivery.send import KEPT_BYTES, HttpSender
from steward.wiring.routes import api_document

LISTS = [
    name
    for name, operation in ROUTES.items()
    if any(parameter["name"] == "lastEvaluatedKey" for parameter in operation["parameters"])
]


class Pair:
    """Two organizations that know nothing of each other, on an API process that doesn't count requests."""

    def __init__(self, api: ApiProcess, database_url: str) -> None:
        ours, theirs = (Organization(api.base_url, database_url, "Enterprise") for _ in range(2))
        self.base_url = api.base_url
        self.ours, self.theirs = SampleRecords(ours), SampleRecords(theirs)


@pytest.fixture(scope="module")
def pair(running_service: Service) -> Iterator[Pair]:
    log = running_service.directory / "api-owasp.log"
    api = ApiProcess(
        log,
        running_service.database_url,
        STEWARD_KEY_REQUESTS_PER_MINUTE="1000000",
        STEWARD_WEBHOOK_ALLOW_LOCAL="on",
    )
    try:
        api.wait_until_live()
        yield Pair(api, running_service.database_url)
        close_clients()
    finally:
        api.stop()


@pytest.fixture
def organization(running_service: Service) -> Organization:
    """One for each test; clients stay open until all of them are done."""
    return Organization(running_service.base_url, running_service.database_url, "Enterprise")


class TestApi1BrokenObjectLevelAuthorization:
    """Every route with foreign identifiers in its path and body: tests/access_matrix. Here: the ways around the path."""

    def test_filters_by_foreign_identifiers_find_nothing(self, pair: Pair) -> None:
        foreign = pair.theirs.ids
        for name, placeholder in {
            "work-orders": "locationId",
            "assets": "assetTypeId",
            "bookings": "resourceId",
            "alerts": "assetId",
            "sor/quotations": "scheduleId",
        }.items():
            query = {placeholder: foreign[placeholder]}
            answer = pair.ours.organization.api.get(f"{pair.ours.organization.path}/{name}", params=query)
            assert (answer.status_code, data_of(answer)) == (200, []), name

    def test_a_cursor_of_another_tenant_is_refused(self, pair: Pair) -> None:
        for _ in range(2):
            pair.theirs.organization.created("work-orders", {"title": "Theirs"})
        page = pair.theirs.organization.api.get(
            f"{pair.theirs.organization.path}/work-orders", params={"limit": 1}
        ).json()
        query = {"limit": 1, "lastEvaluatedKey": page["lastEvaluatedKey"]}
        answer = pair.ours.organization.api.get(f"{pair.ours.organization.path}/work-orders", params=query)
        assert answer.status_code == 422

    def test_an_idempotency_key_does_not_reveal_answers_of_others(self, pair: Pair) -> None:
        headers = {"Idempotency-Key": "the same for both"}
        made = [
            records.organization.api.post(
                f"{records.organization.path}/api-keys",
                json={"name": "Key", "permissions": []},
                headers=headers,
            )
            for records in (pair.theirs, pair.ours)
        ]
        assert [answer.status_code for answer in made] == [201, 201]
        assert data_of(made[0])["secret"] != data_of(made[1])["secret"]

    def test_readings_for_foreign_assets_are_not_stored(self, pair: Pair) -> None:
        readings = [{"assetId": pair.theirs.ids["assetId"], "values": {"Temperature": -40}}]
        pair.ours.organization.api.post(
            f"{pair.ours.organization.path}/telemetry", json={"readings": readings}
        )
        path = f"{pair.theirs.organization.path}/assets/{pair.theirs.ids['assetId']}"
        shown = data_of(pair.theirs.organization.api.get(path))["lastTelemetry"]
        assert shown == {"Temperature": 95}

    def test_events_are_those_of_the_own_organization(self, pair: Pair) -> None:
        events = data_of(
            pair.ours.organization.api.get(f"/v2{pair.ours.organization.path}/events", params={"limit": 100})
        )
        assert {event["organizationId"] for event in events} == {pair.ours.organization.id}


class TestApi2BrokenAuthentication:
    """Tokens, sessions and their ends: tests/identity, tests/web/test_login.py. Guessing: tests/limits."""

    def test_almost_valid_credentials_are_refused(self, pair: Pair) -> None:
        key, token = pair.ours.organization.secret, pair.ours.organization.log_in()["token"]
        head, payload, signature = token.split(".")
        wrong = [
            {"X-API-Key": key[:-1]},
            {"X-API-Key": key + "0"},
            {"X-API-Key": key.swapcase()},
            {"X-API-Key": f"{key},{key}"},
            {"X-API-Key": pair.ours.organization.key_id},
            {"X-API-Key": "' OR 1=1 --"},
            {"Authorization": f"Bearer {head}.{payload}."},
            {"Authorization": f"Bearer {head}.{payload}.{signature[::-1]}"},
            {"Authorization": f"Bearer {head}.{payload[:-2]}.{signature}"},
            {"Authorization": f"Bearer eyJhbGciOiJub25lIn0.{payload}."},
            {"Authorization": f"Basic {key}"},
            {"Cookie": f"steward_session={key}"},
        ]
        for headers in wrong:
            answer = Client(pair.base_url).get(pair.ours.organization.path, headers=headers)
            assert answer.status_code == 401, headers

    def test_credentials_in_the_url_are_ignored(self, pair: Pair) -> None:
        for name in ("api_key", "apiKey", "key", "token", "access_token", "X-API-Key"):
            query = {name: pair.ours.organization.secret}
            assert Client(pair.base_url).get(pair.ours.organization.path, params=query).status_code == 401

    def test_web_sessions_and_api_tokens_are_not_interchangeable(self, pair: Pair) -> None:
        person = BrowserClient(pair.base_url)
        assert person.log_in(pair.ours.organization.email).status_code == 303
        assert person.get(pair.ours.organization.path).status_code == 401
        for headers in (
            {"X-API-Key": pair.ours.organization.secret},
            {"Authorization": f"Bearer {pair.ours.organization.log_in()['token']}"},
        ):
            assert Client(pair.base_url).get("/app", headers=headers).status_code == 303


class TestApi3BrokenObjectPropertyLevelAuthorization:
    """Unknown fields are refused everywhere: tests/access_matrix. Here: fields that are there and not the caller's to set."""

    @staticmethod
    def _shown(name: str) -> set[str]:
        answers = ROUTES[name]["responses"]
        success = next(answer for status, answer in answers.items() if status.startswith("2"))
        schema = success["content"].get("application/json", {}).get("schema", {})
        return set(_resolved(_resolved(schema).get("properties", {}).get("data", {})).get("properties", {}))

    @pytest.mark.parametrize("name", [name for name in WITH_BODY if name not in FREE_FORM])
    def test_no_field_that_is_only_shown_can_be_set(self, pair: Pair, name: str) -> None:
        example = ROUTES[name]["requestBody"]["content"]["application/json"]["example"]
        for field in sorted(self._shown(name) - set(_body_fields(name))):
            body = {**pair.ours.adapt(example), field: "usr_0"}
            answer = _send(pair.ours.organization.api, pair.ours, name, body=body)
            assert answer.status_code == 422, (field, answer.text)
            assert answer.json()["details"][0]["field"] == field

    def test_only_listed_answers_contain_a_secret(self) -> None:
        showing = {
            name
            for name in ROUTES
            if any(re.search(r"(?i)secret$|password|hash|token$", field) for field in self._shown(name))
        }
        assert showing == {
            "POST /organizations/{orgId}/api-keys",
            "POST /organizations/{orgId}/api-keys/{keyId}/rotate",
            "POST /v2/organizations/{orgId}/webhooks",
            "POST /v2/organizations/{orgId}/webhooks/{webhookId}/rotate-secret",
        }


class TestApi4UnrestrictedResourceConsumption:
    """Rates: tests/limits. Deep, wide and endless bodies: tests/security/test_json_corpus.py and its neighbours."""

    @pytest.mark.parametrize("name", LISTS)
    def test_no_list_gives_more_than_a_hundred(self, pair: Pair, name: str) -> None:
        method, template = name.split(" ", 1)
        for wrong in ("101", "0", "-1", "1e9", "all"):
            answer = pair.ours.organization.api.request(
                method, pair.ours.path(template), params={"limit": wrong}
            )
            assert answer.status_code == 422, limit

    def test_everything_in_a_body_that_can_grow_is_bounded(self) -> None:
        unbounded = set()
        for name in WITH_BODY:
            schema = ROUTES[name]["requestBody"]["content"]["application/json"]["schema"]
            unbounded |= {place for place in _unbounded(schema, "") if name not in FREE_FORM}
        # The whole body is bounded; within it permissions and targets are looked up in what there is of them, the parts of a batch
        # are read as bodies of their own, and a device gets at most 16 KiB.
        assert unbounded == {".permissions", ".targets", ".items[].body", ".items[].ifMatch", ".payload"}

    @pytest.mark.parametrize("name", WITH_BODY)
    def test_a_body_over_its_limit_is_not_read(self, pair: Pair, name: str) -> None:
        method, template = name.split(" ", 1)
        mebibytes = 4 if name.endswith("/batch") else 1
        answer = pair.ours.organization.api.request(
            method,
            pair.ours.path(template),
            content=b" " * (mebibytes * 1024 * 1024 + 1),
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code == 413


def _unbounded(schema: dict[str, Any], place: str) -> Iterator[str]:
    """Texts, lists and maps of a schema that name no largest size."""
    schema = _resolved(schema)
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from _unbounded(part, place)
    kind = schema.get("type")
    whole = schema.get("pattern", "").startswith("^") and schema["pattern"].endswith("$")
    if kind == "string" and not whole and not {"maxLength", "enum", "const", "format"} & set(schema):
        yield place
    if kind == "array":
        if "maxItems" not in schema:
            yield place
        yield from _unbounded(schema.get("items", {}), f"{place}[]")
    if kind == "object":
        if "properties" not in schema and "maxProperties" not in schema:
            yield place
        for name, part in schema.get("properties", {}).items():
            yield from _unbounded(part, f"{place}.{name}")


class TestApi5BrokenFunctionLevelAuthorization:
    """Every route without its permission: tests/access_matrix. Here: people whose role only reads, and ways to ask otherwise."""

    def test_a_viewer_changes_nothing(self, pair: Pair) -> None:
        viewer = pair.ours.organization.new_user("Viewer")
        client = pair.ours.organization.client(bearer=pair.ours.organization.log_in(viewer["email"])["token"])
        for name in ROUTES:
            if not name.startswith("GET"):
                assert _send(client, pair.ours, name).status_code == 403, name

    def test_a_method_is_what_it_says(self, pair: Pair) -> None:
        key = pair.ours.organization.new_key("work-orders:read")["secret"]
        path = f"{pair.ours.organization.path}/work-orders/{pair.ours.ids['workOrderId']}"
        for header in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
            client = pair.ours.organization.client(key=key)
            assert client.get(path, headers={header: "DELETE"}).status_code == 200
            assert client.post(path, headers={header: "GET"}).status_code == 405
        assert pair.ours.organization.api.get(path).status_code == 200

    def test_paths_are_taken_literally(self, pair: Pair) -> None:
        key = pair.ours.organization.new_key("work-orders:read")["secret"]
        for path in ("API-KEYS", "api%2Dkeys/../users", "./users", "work-orders/../api-keys", "api-keys;x=1"):
            raw = httpx.URL(pair.base_url).copy_with(
                raw_path=f"{pair.ours.organization.path}/{path}".encode()
            )
            answer = pair.ours.organization.client(key=key).get(raw)
            assert answer.status_code in {308, 403, 404}, path


class TestApi6UnrestrictedAccessToSensitiveBusinessFlows:
    """Making keys, guessing passwords and taking rooms are what a program could do too often."""

    def test_keys_are_made_ten_an_hour(self, organization: Organization) -> None:
        answers = [
            organization.api.post(f"{organization.path}/api-keys", json={"name": "Key", "permissions": []})
            for _ in range(11)
        ]
        assert [answer.status_code for answer in answers].count(201) <= 10
        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["Retry-After"]) > 0

    def test_passwords_are_guessed_five_times(self, organization: Organization) -> None:
        stranger = Client(organization.base_url)
        guesses = [
            stranger.post(
                "/authentications/tokens",
                json={"account": organization.email, "password": f"guess number {n}"},
            )
            for n in range(6)
        ]
        assert [answer.status_code for answer in guesses] == [401] * 5 + [429]

    def test_concurrent_requests_book_a_room_once(self, pair: Pair) -> None:
        organization = pair.ours.organization
        room = organization.created("resources", {"name": "Room", "type": "Room"})["id"]
        body = {"resourceId": room, "startTime": 4102444800, "endTime": 4102448400}
        answers = [
            organization.api.post(f"{organization.path}/bookings", json=body).status_code for _ in range(5)
        ]
        assert answers == [201, 409, 409, 409, 409]
        month = {**body, "endTime": body["startTime"] + 32 * 86400}
        assert organization.api.post(f"{organization.path}/bookings", json=month).status_code == 422


class TestApi7ServerSideRequestForgery:
    """The guard by itself: tests/delivery/test_guard.py; at the moment of sending: tests/delivery/test_receivers.py."""

    def test_no_webhook_points_inside(self, organization: Organization) -> None:
        path = f"/v2{organization.path}/webhooks"
        public = {"url": "https://93.184.216.34/", "events": ["*"]}
        webhook = data_of(organization.api.post(path, json=public))["webhookId"]
        for host in LOCAL_ADDRESSES:
            shown = f"[{host}]" if ":" in host else host
            for answer in (
                organization.api.post(path, json={"url": f"https://{shown}/", "events": ["*"]}),
                organization.api.patch(f"{path}/{webhook}", json={"url": f"https://{shown}/"}),
            ):
                assert answer.status_code == 422, host
                assert answer.json()["details"][0]["field"] == "url"

    def test_nothing_else_in_a_body_is_fetched(self) -> None:
        """A new field that holds a URL needs a review."""
        urls = {
            (name, field)
            for name in WITH_BODY
            for field in _body_fields(name)
            if name not in FREE_FORM and re.search(r"(?i)url|uri|link|callback|href|endpoint", field)
        }
        assert urls == {
            ("POST /v2/organizations/{orgId}/webhooks", "url"),
            ("PATCH /v2/organizations/{orgId}/webhooks/{webhookId}", "url"),
            # Guarded in the same way: tests/ingest/test_chirpstack_commands.py.
            ("PUT /organizations/{orgId}/integrations/chirpstack/settings", "url"),
        }


class TestApi8SecurityMisconfiguration:
    """Pages: tests/web/test_serving.py. What a fault shows: tests/manners/test_errors.py."""

    PATHS = (
        "/health/live",
        "/openapi.json",
        "/nowhere",
        "{organization}",
        "{organization}/users",
        "{organization}/nowhere",
    )

    def _answers(self, organization: Organization, **headers: str) -> list[httpx.Response]:
        return [
            organization.api.get(path.format(organization=organization.path), headers=headers)
            for path in self.PATHS
        ]

    def test_other_origins_are_refused(self, organization: Organization) -> None:
        for answer in self._answers(organization, Origin="https://elsewhere.example"):
            assert not [name for name in answer.headers if name.startswith("access-control-")]
        asked = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "DELETE"}
        answer = organization.api.options(f"{organization.path}/users", headers=asked)
        assert not [name for name in answer.headers if name.startswith("access-control-")]

    def test_answers_match_their_content_type(self, organization: Organization) -> None:
        for answer in self._answers(organization):
            assert answer.headers["content-type"].split(";")[0] == "application/json"

    def test_answers_forbid_sniffing_and_caching_of_personal_data(self, organization: Organization) -> None:
        for answer in self._answers(organization):
            assert answer.headers["x-content-type-options"] == "nosniff"
        for name in ("users", "visitors", "api-keys"):
            assert "no-store" in organization.api.get(f"{organization.path}/{name}").headers["cache-control"]

    def test_errors_reveal_no_internals(self, organization: Organization) -> None:
        for answer in (
            organization.api.get(f"{organization.path}/work-orders/%27%22%3B--"),
            organization.api.get(f"{organization.path}/work-orders", params={"lastEvaluatedKey": "x"}),
            organization.api.post(
                f"{organization.path}/work-orders", content=b"{", headers={"Content-Type": "application/json"}
            ),
            organization.api.get("/app/../../etc/passwd"),
        ):
            assert 400 <= answer.status_code < 500
            assert not re.search(
                r"(?i)traceback|asyncpg|postgres|/src/|\.py\b|select |granian|msgspec", answer.text
            )


class TestApi9ImproperInventoryManagement:
    """Generated files are current: tests/architecture. Only the known few are public: tests/architecture/test_routes.py."""

    def test_served_and_documented_paths_are_equal(self, running_service: Service) -> None:
        assert httpx.get(f"{running_service.base_url}/openapi.json").json() == api_document()

    def test_documented_paths_are_served(self, pair: Pair) -> None:
        for path in DOCUMENT["paths"]:
            filled = re.sub(r"{(\w+)}", "x_0", path.replace("{orgId}", pair.ours.organization.id))
            answer = Client(pair.base_url).request("PROPFIND", filled)
            assert answer.status_code == 405, path

    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_nothing_else_answers(self, running_service: Service, method: str) -> None:
        guesses = """/metrics /admin /debug /status /swagger /swagger.json /graphql /actuator /console /.env /.git/config
            /api /v1 /v3 /v1/organizations /internal /test /backup /server-status /phpinfo.php /docs.json /health
            /organizations /v2/organizations /authentications /users /static/../pyproject.toml /static/%2e%2e/x"""
        for path in guesses.split():
            answer = Client(running_service.base_url).request(method, path)
            assert answer.status_code in {404, 405}, path

    def test_commands_that_end_are_marked_so(self, organization: Organization) -> None:
        answer = organization.client(bearer=organization.log_in()["token"]).get(organization.path)
        assert {"deprecation", "sunset", "link"} <= set(answer.headers)


class TestApi10UnsafeConsumptionOfApis:
    """Receivers of every bad kind: tests/delivery/test_receivers.py. Brokers: tests/security/test_mqtt_corpus.py."""

    @staticmethod
    async def _answer_of(said: bytes) -> Any:
        """What is kept of a receiver that says this, and how often it was asked."""
        asked = 0

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal asked
            asked += 1
            await reader.readuntil(
                b"\r\n\r\n{}"
            )  # all of the request: what nobody reads makes the end a reset
            writer.write(said)
            writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        sender = HttpSender(allow_local=True, timeout=limit(60))
        target = guard.validate_url(f"http://127.0.0.1:{port}/", allow_local=True)
        try:
            answer = await sender.send(SignedRequest(target, {}, b"{}"))
        finally:
            await sender.close()
            server.close()
        return answer, asked

    @pytest.mark.parametrize(
        "said",
        [
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 307 Moved\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"HTTP/1.1 200 OK\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
            b"HTTP/1.1 999 What\r\n\r\n",
            b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
            b"nonsense\r\n\r\n",
            b"\0" * 1000,
        ],
    )
    async def test_answers_other_than_2xx_are_failures_and_not_followed(self, said: bytes) -> None:
        answer, asked = await self._answer_of(said)
        assert answer.error is not None
        assert asked == 1

    async def test_a_long_answer_is_stored_truncated(self) -> None:
        answer, _ = await self._answer_of(b"HTTP/1.1 200 OK\r\n\r\n" + b"a" * 3_000_000)
        assert len(answer.response) <= KEPT_BYTES
