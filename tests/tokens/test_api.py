"""The legacy way in: password tokens, their rotation, their signature, and the headers that announce their end."""

import asyncio
import base64
import hmac
import json
import time
from typing import Any

import asyncpg
import httpx
import jwt
import pytest
from tests.support.answers import data_of
from tests.support.organizations import PASSWORD, Client, Organization
from tests.support.processes import SECRET_KEY
from tests.support.service import Service

from steward.kit.security.encryption import Encryption

LOGIN = "/authentications/tokens"
REFRESH = "/authentications/tokens/refresh"


def refresh(organization: Organization, token: str) -> httpx.Response:
    return Client(organization.base_url).post(REFRESH, json={"refreshToken": token})


def claims(token: str) -> dict[str, Any]:
    return jwt.decode(token, options={"verify_signature": False})


def has_deprecation_headers(answer: httpx.Response) -> bool:
    return (
        answer.headers.get("deprecation", "").startswith("@")
        and answer.headers.get("sunset", "").startswith("Tue, 30 Jun 2026 ")
        and answer.headers.get("sunset", "").endswith(" GMT")
        and 'rel="deprecation"' in answer.headers.get("link", "")
    )


def test_a_login_returns_only_three_strings(shared_organization: Organization) -> None:
    answer = Client(shared_organization.base_url).post(
        LOGIN, json={"account": shared_organization.email, "password": shared_organization.password}
    )
    assert answer.status_code == 200
    assert list(answer.json()) == ["data"]
    tokens = data_of(answer)
    assert set(tokens) == {"token", "idToken", "refreshToken"}
    assert all(isinstance(value, str) and value for value in tokens.values())


def test_the_id_token_names_the_organization_and_both_end_after_an_hour(
    shared_organization: Organization,
) -> None:
    tokens = shared_organization.log_in()
    assert claims(tokens["idToken"])["organizationId"] == shared_organization.id
    for name in ("token", "idToken"):
        said = claims(tokens[name])
        assert said["exp"] - said["iat"] == 3600
        assert said["sub"] == shared_organization.user_id


@pytest.mark.parametrize("name", ["token", "idToken"])
def test_both_tokens_open_the_api(shared_organization: Organization, name: str) -> None:
    answer = shared_organization.client(bearer=shared_organization.log_in()[name]).get(
        f"{shared_organization.path}/work-orders"
    )
    assert answer.status_code == 200
    assert has_deprecation_headers(answer)


def test_a_refresh_token_is_no_bearer_token(shared_organization: Organization) -> None:
    answer = shared_organization.client(bearer=shared_organization.log_in()["refreshToken"]).get(
        f"{shared_organization.path}/work-orders"
    )
    assert answer.status_code == 401


def test_the_published_keys_verify_the_signature(shared_organization: Organization) -> None:
    answer = Client(shared_organization.base_url).get("/.well-known/jwks.json")
    assert answer.status_code == 200
    keys = jwt.PyJWKSet.from_dict(answer.json())
    assert not any("d" in key for key in answer.json()["keys"])  # the private part
    for token in (shared_organization.log_in()["token"], shared_organization.log_in()["idToken"]):
        header = jwt.get_unverified_header(token)
        assert header["alg"] not in {"none", "HS256"}
        verified = jwt.decode(token, keys[header["kid"]].key, algorithms=[header["alg"]])
        assert verified["sub"] == shared_organization.user_id


async def signing_key(database_url: str) -> str:
    connection = await asyncpg.connect(database_url)
    try:
        sealed = await connection.fetchval("SELECT value FROM service_secrets WHERE name = 'jwt signing key'")
    finally:
        await connection.close()
    return Encryption(base64.b64decode(SECRET_KEY)).decrypt("jwt signing key", sealed).decode()


def test_a_token_that_has_expired_is_refused(shared_organization: Organization) -> None:
    token = shared_organization.log_in()["token"]
    header = jwt.get_unverified_header(token)
    pem = asyncio.run(signing_key(shared_organization.database_url))
    for seconds, status in ((60, 200), (-1, 401)):
        said = claims(token) | {"exp": int(time.time()) + seconds}
        made = jwt.encode(said, pem, algorithm=header["alg"], headers={"kid": header["kid"]})
        assert (
            shared_organization.client(bearer=made).get(f"{shared_organization.path}/work-orders").status_code
            == status
        )


def _encoded(part: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def forged(organization: Organization, how: str) -> str:
    token = organization.log_in()["token"]
    header, payload, signature = token.split(".")
    said = claims(token)
    match how:
        case "unsigned":
            return f"{_encoded({'alg': 'none', 'typ': 'JWT'})}.{payload}."
        case "signed with the public key as a password":
            published = Client(organization.base_url).get("/.well-known/jwks.json").content
            signed = f"{_encoded({'alg': 'HS256', 'typ': 'JWT'})}.{payload}"
            digest = hmac.digest(published, signed.encode(), "sha256")
            return f"{signed}.{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"
        case "another's payload under our signature":
            return f"{header}.{_encoded(said | {'sub': 'usr_other'})}.{signature}"
        case "without a signature":
            return f"{header}.{payload}."
    return how


@pytest.mark.parametrize(
    "how",
    [
        "unsigned",
        "signed with the public key as a password",
        "another's payload under our signature",
        "without a signature",
        "nonsense",
        "a.b.c",
    ],
)
def test_a_forged_token_is_refused(shared_organization: Organization, how: str) -> None:
    answer = shared_organization.client(bearer=forged(shared_organization, how)).get(
        f"{shared_organization.path}/work-orders"
    )
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")


def test_another_scheme_than_bearer_is_refused(shared_organization: Organization) -> None:
    headers = {"Authorization": "Basic YWRhOnNlY3JldA=="}
    answer = shared_organization.client().get(f"{shared_organization.path}/work-orders", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")


@pytest.mark.parametrize(
    ("account", "password"), [(None, "wrong password"), ("nobody@example.com", PASSWORD), ("", "")]
)
def test_a_failed_login_does_not_reveal_what_was_wrong(
    shared_organization: Organization, account: str | None, password: str
) -> None:
    body = {"account": shared_organization.email if account is None else account, "password": password}
    answer = Client(shared_organization.base_url).post(LOGIN, json=body)
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")
    assert answer.json()["message"] == "The account or the password is wrong."


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "account"),
        ({"account": "x@example.com"}, "password"),
        ({"account": 5, "password": "x"}, "account"),
        ({"account": "x", "password": "x", "remember": True}, "remember"),
    ],
)
def test_a_login_that_cannot_be_read_names_the_field(
    shared_organization: Organization, body: dict, field: str
) -> None:
    answer = Client(shared_organization.base_url).post(LOGIN, json=body)
    assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, field)


def test_a_login_to_a_foreign_organization_fails_like_a_wrong_password(
    shared_organization: Organization,
) -> None:
    body = {
        "account": shared_organization.email,
        "password": shared_organization.password,
        "organizationId": "org_other",
    }
    assert Client(shared_organization.base_url).post(LOGIN, json=body).status_code == 401


def test_refreshing_gives_new_tokens_that_work(shared_organization: Organization) -> None:
    first = shared_organization.log_in()
    answer = refresh(shared_organization, first["refreshToken"])
    assert answer.status_code == 200
    assert list(answer.json()) == ["data"]
    second = data_of(answer)
    assert set(second) == set(first)
    assert all(second[name] != first[name] for name in first)
    assert claims(second["idToken"])["organizationId"] == shared_organization.id
    assert (
        shared_organization.client(bearer=second["token"])
        .get(f"{shared_organization.path}/work-orders")
        .status_code
        == 200
    )
    assert refresh(shared_organization, second["refreshToken"]).status_code == 200


def test_reuse_of_a_refresh_token_ends_the_whole_chain_and_no_other(
    shared_organization: Organization,
) -> None:
    other_chain = shared_organization.log_in()["refreshToken"]
    first = shared_organization.log_in()["refreshToken"]
    second = data_of(refresh(shared_organization, first))["refreshToken"]
    third = data_of(refresh(shared_organization, second))["refreshToken"]
    assert refresh(shared_organization, first).status_code == 401
    assert refresh(shared_organization, third).status_code == 401
    assert refresh(shared_organization, other_chain).status_code == 200


@pytest.mark.parametrize("token", ["", "nonsense", "org_x.nonsense"])
def test_an_unknown_refresh_token_is_refused(shared_organization: Organization, token: str) -> None:
    answer = refresh(shared_organization, token)
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")


def test_a_suspended_user_gets_no_new_tokens(organization: Organization) -> None:
    user = organization.new_user("Viewer")
    tokens = organization.log_in(user["email"])
    organization.api.patch(f"{organization.path}/users/{user['id']}", json={"status": "Suspended"})
    assert refresh(organization, tokens["refreshToken"]).status_code in {401, 403}


def test_a_new_password_ends_the_refresh_tokens_of_the_old_one(organization: Organization) -> None:
    user = organization.new_user("Viewer")
    tokens = organization.log_in(user["email"])
    organization.api.patch(
        f"{organization.path}/users/{user['id']}", json={"password": "another long password"}
    )
    assert refresh(organization, tokens["refreshToken"]).status_code == 401


def test_every_answer_to_a_bearer_request_has_a_deprecation_header(organization: Organization) -> None:
    limited = organization.client(
        bearer=organization.log_in(organization.new_user("Requester")["email"])["token"]
    )
    good = organization.client(bearer=organization.log_in()["token"])
    answers = {
        200: good.get(f"{organization.path}/work-orders"),
        201: good.post(f"{organization.path}/work-orders", json={"title": "Leak"}),
        400: good.post(f"{organization.path}/work-orders", content=b"{"),
        401: organization.client(bearer="not.a.token").get(f"{organization.path}/work-orders"),
        403: limited.get(f"{organization.path}/roles"),
        404: good.get(f"{organization.path}/work-orders/wo_unknown"),
        422: good.get(f"{organization.path}/work-orders?limit=0"),
    }
    assert {status: answer.status_code for status, answer in answers.items()} == {s: s for s in answers}
    assert [status for status, answer in answers.items() if not has_deprecation_headers(answer)] == []


def test_early_answers_have_the_deprecation_header_too(
    shared_organization: Organization,
) -> None:
    caller = shared_organization.client(bearer=shared_organization.log_in()["token"])
    answers = {
        404: caller.get("/nothing/here"),
        405: caller.put(f"{shared_organization.path}/work-orders"),
        413: caller.post(f"{shared_organization.path}/work-orders", content=b"x" * (1024 * 1024 + 1)),
    }
    assert {status: answer.status_code for status, answer in answers.items()} == {s: s for s in answers}
    assert [status for status, answer in answers.items() if not has_deprecation_headers(answer)] == []


def test_answers_to_a_key_do_not(shared_organization: Organization) -> None:
    assert "sunset" not in shared_organization.api.get(f"{shared_organization.path}/work-orders").headers


@pytest.mark.parametrize("mode", ["off", "until-removal"])
def test_tokens_of_another_public_url_are_refused_but_keys_work(
    service: Service, shared_organization: Organization, mode: str
) -> None:
    tokens = shared_organization.log_in()
    elsewhere = service.another_api(STEWARD_LEGACY_JWT=mode).base_url
    login = Client(elsewhere).post(
        LOGIN, json={"account": shared_organization.email, "password": shared_organization.password}
    )
    again = Client(elsewhere).post(REFRESH, json={"refreshToken": tokens["refreshToken"]})
    bearer = Client(elsewhere, bearer=tokens["token"]).get(f"{shared_organization.path}/work-orders")
    assert (login.status_code, again.status_code, bearer.status_code) == (403, 403, 401)
    assert all("API key" in answer.json()["message"] for answer in (login, again, bearer))
    assert has_deprecation_headers(bearer)
    assert (
        Client(elsewhere, key=shared_organization.secret)
        .get(f"{shared_organization.path}/work-orders")
        .status_code
        == 200
    )
    assert (
        Client(elsewhere, bearer=shared_organization.secret)
        .get(f"{shared_organization.path}/work-orders")
        .status_code
        == 200
    )
