"""Invitations as an organization sees them: made, mailed, listed, withdrawn."""

import asyncio
import base64
import re
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.mail import MailServer, mail_server, mailing_api
from tests.support.organizations import PASSWORD, Client, Organization
from tests.support.ports import closed_port
from tests.support.processes import ApiProcess
from tests.support.service import Service

WEEK = 7 * 24 * 3600


def path(organization: Organization) -> str:
    return f"{organization.path}/users/invitations"


def test_an_invitation_is_made_read_listed_and_withdrawn(organization: Organization) -> None:
    body = {"email": "Ada@example.com", "name": "Ada Byron", "roleIds": organization.role_ids("Viewer")}
    before = int(time.time())
    answer = organization.api.post(path(organization), json=body)
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    made = data_of(answer)
    link, mailed = made.pop("link"), made.pop("mailed")
    assert made == {
        "id": made["id"],
        **body,
        "invitedBy": organization.user_id,
        "created": made["created"],
        "expiresAt": made["created"] + WEEK,
    }
    assert made["id"].startswith("inv_")
    assert before <= made["created"] <= time.time()
    assert mailed is False
    assert re.fullmatch(rf"{organization.base_url}/app/invitations/{organization.id}\.[\w-]{{43}}", link)
    location = answer.headers["location"]
    assert location == f"{path(organization)}/{made['id']}"
    assert organization.api.get(location).json() == {"data": made}
    assert organization.api.get(path(organization)).json() == {"data": [made], "lastEvaluatedKey": None}
    deleted = organization.api.delete(location)
    assert (deleted.status_code, deleted.json()) == (200, {"data": {"deleted": True}})
    assert organization.api.get(location).status_code == 404
    assert organization.api.delete(location).status_code == 404
    assert BrowserClient(organization.base_url).get(link).status_code == 404


def test_the_list_has_pages(organization: Organization) -> None:
    made = [organization.invite(f"{number}@example.com")["id"] for number in range(3)]
    first = organization.api.get(f"{path(organization)}?limit=2").json()
    second = organization.api.get(
        path(organization), params={"limit": 2, "lastEvaluatedKey": first["lastEvaluatedKey"]}
    ).json()
    assert [item["id"] for item in first["data"] + second["data"]] == made[::-1]
    assert second["lastEvaluatedKey"] is None


async def rows(organization: Organization) -> str:
    connection = await asyncpg.connect(organization.database_url)
    try:
        return str(
            await connection.fetch("SELECT * FROM invitations WHERE organization_id = $1", organization.id)
        )
    finally:
        await connection.close()


def test_only_a_hash_of_the_link_is_kept(organization: Organization) -> None:
    secret = organization.invite("ada@example.com")["link"].rpartition(".")[2]
    assert secret not in asyncio.run(rows(organization))
    assert secret not in organization.api.get(path(organization)).text


def test_a_second_invitation_of_an_address_replaces_the_first(organization: Organization) -> None:
    first, second = organization.invite("ada@example.com"), organization.invite("ADA@example.com")
    assert [item["id"] for item in data_of(organization.api.get(path(organization)))] == [second["id"]]
    person = BrowserClient(organization.base_url)
    assert (person.get(first["link"]).status_code, person.get(second["link"]).status_code) == (404, 200)


def test_the_same_request_again_gives_the_same_link(organization: Organization) -> None:
    body = {"email": "ada@example.com", "name": "Ada"}
    answers = [
        organization.api.post(path(organization), json=body, headers={"Idempotency-Key": "1"})
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotent-replayed"] == "true"


def test_existing_users_cannot_be_invited(organization: Organization) -> None:
    user = organization.new_user()
    answer = organization.api.post(path(organization), json={"email": user["email"].upper(), "name": "Again"})
    assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")


def test_a_role_named_by_an_invitation_cannot_be_deleted(organization: Organization) -> None:
    role = organization.created("roles", {"name": "Night shift"})
    body = {"email": "ada@example.com", "name": "Ada", "roleIds": [role["id"]]}
    invitation = organization.created("users/invitations", body)
    assert organization.api.delete(f"{organization.path}/roles/{role['id']}").status_code == 409
    organization.api.delete(f"{path(organization)}/{invitation['id']}")
    assert organization.api.delete(f"{organization.path}/roles/{role['id']}").status_code == 200


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"email": "no address"}, "email"),
        ({"name": " "}, "name"),
        ({"roleIds": ["rol_unknown"]}, "roleIds"),
        ({"password": PASSWORD}, "password"),
    ],
)
def test_an_invitation_that_cannot_be_made_names_the_field(
    shared_organization: Organization, wrong: dict, field: str
) -> None:
    answer = shared_organization.api.post(
        path(shared_organization), json={"email": "x@example.com", "name": "X", **wrong}
    )
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert [detail["field"] for detail in answer.json()["details"]] == [field]


@pytest.mark.parametrize("host", ["", "a@b", "a/b", "a b"])
def test_an_invalid_host_header_makes_no_invitation_link(
    shared_organization: Organization, host: str
) -> None:
    answer = shared_organization.api.post(
        path(shared_organization), json={"email": "x@example.com", "name": "X"}, headers={"Host": host}
    )
    assert answer.status_code == 400


@pytest.fixture(scope="module")
def server() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture(scope="module")
def mailing(
    server: MailServer, running_service: Service, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiProcess]:
    with mailing_api(
        tmp_path_factory.mktemp("mailing"),
        running_service.database_url,
        STEWARD_SMTP_URL=f"smtp://steward:se%40cret@127.0.0.1:{server.port}",
        STEWARD_SMTP_FROM="steward@shared_organization.example",
        STEWARD_PUBLIC_URL="https://shared_organization.example/",
    ) as process:
        yield process


def test_the_link_is_mailed_to_the_one_who_is_invited(
    organization: Organization, server: MailServer, mailing: ApiProcess
) -> None:
    body = {"email": f"ada-{organization.id}@example.com", "name": "Ada\nByron"}
    made = data_of(Client(mailing.base_url, key=organization.secret).post(path(organization), json=body))
    assert made["mailed"] is True
    assert made["link"].startswith(f"https://shared_organization.example/app/invitations/{organization.id}.")
    letter = next(letter for letter in server.letters if letter.recipients == [body["email"]])
    assert letter.message["to"] == body["email"]
    assert letter.message["from"] == "steward@shared_organization.example"
    assert letter.message["subject"] == "Join Test house on Steward"
    assert made["link"] in letter.message.get_content().split()
    assert base64.b64decode(letter.user or "") == b"\0steward\0se@cret"


@pytest.mark.parametrize("email", ["a,b@example.com", "<a@example.com", "é@exämple.com"])
def test_an_undeliverable_address_causes_no_error(
    organization: Organization, server: MailServer, mailing: ApiProcess, email: str
) -> None:
    before = len(server.letters)
    answer = Client(mailing.base_url, key=organization.secret).post(
        path(organization), json={"email": email, "name": "X"}
    )
    assert (answer.status_code, data_of(answer)["mailed"]) == (201, False)
    assert len(server.letters) == before


def test_mail_refused_by_the_server_is_reported_and_logged(
    organization: Organization, server: MailServer, mailing: ApiProcess
) -> None:
    server.refuses = True
    try:
        body = {"email": "ada@example.com", "name": "Ada"}
        made = data_of(Client(mailing.base_url, key=organization.secret).post(path(organization), json=body))
    finally:
        server.refuses = False
    assert made["mailed"] is False
    assert "mail not sent" in mailing.said
    assert "se@cret" not in mailing.said
    assert made["link"].rpartition(".")[2] not in mailing.said
    assert (
        BrowserClient(organization.base_url)
        .get(made["link"].removeprefix("https://shared_organization.example"))
        .status_code
        == 200
    )


def test_an_invitation_is_kept_without_a_mail_server(
    service: Service, organization: Organization, tmp_path: Path
) -> None:
    with closed_port() as port:
        process = service.another_api(STEWARD_SMTP_URL=f"smtp://127.0.0.1:{port}")
        answer = Client(process.base_url, key=organization.secret).post(
            path(organization), json={"email": "ada@example.com", "name": "Ada"}
        )
    assert (answer.status_code, data_of(answer)["mailed"]) == (201, False)
