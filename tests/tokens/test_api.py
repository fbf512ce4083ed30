"""The legacy way in: password tokens, their rotation, their signature, and the headers that tell of their end."""

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
from tests.conftest import Service
from tests.support.organizations import PASSWORD, Client, Organization
from tests.support.processes import SECRET_KEY

from steward.kit.security.encryption import Encryption

LOGIN = "/authentications/tokens"
REFRESH = "/authentications/tokens/refresh"


def refresh(org: Organization, token: str) -> httpx.Response:
    return Client(org.base_url).post(REFRESH, json={"refreshToken": token})


def claims(token: str) -> dict[str, Any]:
    return jwt.decode(token, options={"verify_signature": False})


def has_deprecation_headers(answer: httpx.Response) -> bool:
    return (
        answer.headers.get("deprecation", "").startswith("@")
        and answer.headers.get("sunset", "").startswith("Tue, 30 Jun 2026 ")
        and answer.headers.get("sunset", "").endswith(" GMT")
        and 'rel="deprecation"' in answer.headers.get("link", "")
    )


def test_a_login_answers_three_strings_and_nothing_else(house: Organization) -> None:
    answer = Client(house.base_url).post(LOGIN, json={"account": house.email, "password": house.password})
    assert answer.status_code == 200
    assert list(answer.json()) == ["data"]
    tokens = answer.json()["data"]
    assert set(tokens) == {"token", "idToken", "refreshToken"}
    assert all(isinstance(value, str) and value for value in tokens.values())


def test_the_id_token_names_the_organization_and_both_end_after_an_hour(house: Organization) -> None:
    tokens = house.log_in()
    assert claims(tokens["idToken"])["organizationId"] == house.id
    for name in ("token", "idToken"):
        said = claims(tokens[name])
        assert said["exp"] - said["iat"] == 3600
        assert said["sub"] == house.user_id


@pytest.mark.parametrize("name", ["token", "idToken"])
def test_both_tokens_open_the_api(house: Organization, name: str) -> None:
    answer = house.client(bearer=house.log_in()[name]).get(f"{house.path}/work-orders")
    assert answer.status_code == 200
    assert has_deprecation_headers(answer)


def test_a_refresh_token_is_no_bearer_token(house: Organization) -> None:
    answer = house.client(bearer=house.log_in()["refreshToken"]).get(f"{house.path}/work-orders")
    assert answer.status_code == 401


def test_the_published_keys_verify_the_signature(house: Organization) -> None:
    answer = Client(house.base_url).get("/.well-known/jwks.json")
    assert answer.status_code == 200
    keys = jwt.PyJWKSet.from_dict(answer.json())
    assert not any("d" in key for key in answer.json()["keys"])  # the private part
    for token in (house.log_in()["token"], house.log_in()["idToken"]):
        header = jwt.get_unverified_header(token)
        assert header["alg"] not in {"none", "HS256"}
        verified = jwt.decode(token, keys[header["kid"]].key, algorithms=[header["alg"]])
        assert verified["sub"] == house.user_id


async def signing_key(database_url: str) -> str:
    connection = await asyncpg.connect(database_url)
    try:
        sealed = await connection.fetchval("SELECT value FROM service_secrets WHERE name = 'jwt signing key'")
    finally:
        await connection.close()
    return Encryption(base64.b64decode(SECRET_KEY)).decrypt("jwt signing key", sealed).decode()


def test_a_token_that_has_expired_is_refused(house: Organization) -> None:
    token = house.log_in()["token"]
    header = jwt.get_unverified_header(token)
    pem = asyncio.run(signing_key(house.database_url))
    for seconds, status in ((60, 200), (-1, 401)):
        said = claims(token) | {"exp": int(time.time()) + seconds}
        made = jwt.encode(said, pem, algorithm=header["alg"], headers={"kid": header["kid"]})
        assert house.client(bearer=made).get(f"{house.path}/work-orders").status_code == status


def _encoded(part: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def forged(org: Organization, how: str) -> str:
    token = org.log_in()["token"]
    header, payload, signature = token.split(".")
    said = claims(token)
    match how:
        case "unsigned":
            return f"{_encoded({'alg': 'none', 'typ': 'JWT'})}.{payload}."
        case "signed with the public key as a password":
            published = Client(org.base_url).get("/.well-known/jwks.json").content
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
def test_a_forged_token_is_refused(house: Organization, how: str) -> None:
    answer = house.client(bearer=forged(house, how)).get(f"{house.path}/work-orders")
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")


def test_another_scheme_than_bearer_is_refused(house: Organization) -> None:
    headers = {"Authorization": "Basic YWRhOnNlY3JldA=="}
    answer = house.client().get(f"{house.path}/work-orders", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")


@pytest.mark.parametrize(
    ("account", "password"), [(None, "wrong password"), ("nobody@example.com", PASSWORD), ("", "")]
)
def test_a_wrong_login_does_not_tell_what_was_wrong(
    house: Organization, account: str | None, password: str
) -> None:
    body = {"account": house.email if account is None else account, "password": password}
    answer = Client(house.base_url).post(LOGIN, json=body)
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
def test_a_login_that_cannot_be_read_names_the_field(house: Organization, body: dict, field: str) -> None:
    answer = Client(house.base_url).post(LOGIN, json=body)
    assert (answer.status_code, answer.json()["details"][0]["field"]) == (422, field)


def test_a_login_to_an_organization_of_others_is_a_wrong_one(house: Organization) -> None:
    body = {"account": house.email, "password": house.password, "organizationId": "org_other"}
    assert Client(house.base_url).post(LOGIN, json=body).status_code == 401


def test_refreshing_gives_new_tokens_that_work(house: Organization) -> None:
    first = house.log_in()
    answer = refresh(house, first["refreshToken"])
    assert answer.status_code == 200
    assert list(answer.json()) == ["data"]
    second = answer.json()["data"]
    assert set(second) == set(first)
    assert all(second[name] != first[name] for name in first)
    assert claims(second["idToken"])["organizationId"] == house.id
    assert house.client(bearer=second["token"]).get(f"{house.path}/work-orders").status_code == 200
    assert refresh(house, second["refreshToken"]).status_code == 200


def test_reuse_of_a_refresh_token_ends_the_whole_chain_and_no_other(house: Organization) -> None:
    other_chain = house.log_in()["refreshToken"]
    first = house.log_in()["refreshToken"]
    second = refresh(house, first).json()["data"]["refreshToken"]
    third = refresh(house, second).json()["data"]["refreshToken"]
    assert refresh(house, first).status_code == 401
    assert refresh(house, third).status_code == 401
    assert refresh(house, other_chain).status_code == 200


@pytest.mark.parametrize("token", ["", "nonsense", "org_x.nonsense"])
def test_an_unknown_refresh_token_is_refused(house: Organization, token: str) -> None:
    answer = refresh(house, token)
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")


def test_a_suspended_user_gets_no_new_tokens(org: Organization) -> None:
    user = org.new_user("Viewer")
    tokens = org.log_in(user["email"])
    org.api.patch(f"{org.path}/users/{user['id']}", json={"status": "Suspended"})
    assert refresh(org, tokens["refreshToken"]).status_code in {401, 403}


def test_a_new_password_ends_the_refresh_tokens_of_the_old_one(org: Organization) -> None:
    user = org.new_user("Viewer")
    tokens = org.log_in(user["email"])
    org.api.patch(f"{org.path}/users/{user['id']}", json={"password": "another long password"})
    assert refresh(org, tokens["refreshToken"]).status_code == 401


def test_every_answer_to_a_bearer_request_tells_of_the_end(org: Organization) -> None:
    limited = org.client(bearer=org.log_in(org.new_user("Requester")["email"])["token"])
    good = org.client(bearer=org.log_in()["token"])
    answers = {
        200: good.get(f"{org.path}/work-orders"),
        201: good.post(f"{org.path}/work-orders", json={"title": "Leak"}),
        400: good.post(f"{org.path}/work-orders", content=b"{"),
        401: org.client(bearer="not.a.token").get(f"{org.path}/work-orders"),
        403: limited.get(f"{org.path}/roles"),
        404: good.get(f"{org.path}/work-orders/wo_unknown"),
        422: good.get(f"{org.path}/work-orders?limit=0"),
    }
    assert {status: answer.status_code for status, answer in answers.items()} == {s: s for s in answers}
    assert [status for status, answer in answers.items() if not has_deprecation_headers(answer)] == []


def test_so_does_an_answer_that_was_given_before_the_token_was_looked_at(house: Organization) -> None:
    caller = house.client(bearer=house.log_in()["token"])
    answers = {
        404: caller.get("/nothing/here"),
        405: caller.put(f"{house.path}/work-orders"),
        413: caller.post(f"{house.path}/work-orders", content=b"x" * (1024 * 1024 + 1)),
    }
    assert {status: answer.status_code for status, answer in answers.items()} == {s: s for s in answers}
    assert [status for status, answer in answers.items() if not has_deprecation_headers(answer)] == []


def test_answers_to_a_key_do_not(house: Organization) -> None:
    assert "sunset" not in house.api.get(f"{house.path}/work-orders").headers


@pytest.mark.parametrize("mode", ["off", "until-removal"])
def test_a_deployment_that_has_moved_takes_no_tokens_but_keys(
    service: Service, house: Organization, mode: str
) -> None:
    tokens = house.log_in()
    elsewhere = service.another_api(STEWARD_LEGACY_JWT=mode).base_url
    login = Client(elsewhere).post(LOGIN, json={"account": house.email, "password": house.password})
    again = Client(elsewhere).post(REFRESH, json={"refreshToken": tokens["refreshToken"]})
    bearer = Client(elsewhere, bearer=tokens["token"]).get(f"{house.path}/work-orders")
    assert (login.status_code, again.status_code, bearer.status_code) == (403, 403, 401)
    assert all("API key" in answer.json()["message"] for answer in (login, again, bearer))
    assert has_deprecation_headers(bearer)
    assert Client(elsewhere, key=house.secret).get(f"{house.path}/work-orders").status_code == 200
    assert Client(elsewhere, bearer=house.secret).get(f"{house.path}/work-orders").status_code == 200
