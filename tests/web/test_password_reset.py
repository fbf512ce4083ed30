"""Forgotten passwords: the letter, its link, and an administrator's link."""

import html
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.support.browser import BrowserClient
from tests.support.mail import Letter, MailServer, mail_server, mailing_api
from tests.support.organizations import PASSWORD, Client, Organization
from tests.support.processes import ApiProcess
from tests.support.secrets import SECRETS
from tests.support.service import Service
from tests.support.waiting import wait_for

from steward.kit.runtime import clock
from steward.users.password_resets.queries import delete_expired

NewBrowser = Callable[[], BrowserClient]
NEW = "a password of my own"
PUBLIC = "https://steward.example.com"
LINK = re.compile(rf"{PUBLIC}(/app/password-reset/acc_\w+\.([\w-]{{43}}))")
SAME_ANSWER = (303, "/app/forgot-password?sent=yes")


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
        STEWARD_SMTP_URL=f"smtp://127.0.0.1:{server.port}",
        STEWARD_PUBLIC_URL=PUBLIC,
    ) as process:
        yield process


class Mailbox:
    """Asks for links, and reads the letters that come."""

    def __init__(self, server: MailServer, process: ApiProcess) -> None:
        self._server = server
        self.base_url = process.base_url

    def ask(self, email: str, **headers: str) -> tuple[int, str]:
        answer = BrowserClient(self.base_url).post(
            "/app/forgot-password", data={"email": email}, headers=headers
        )
        return answer.status_code, answer.headers.get("location", answer.text)

    def letters(self, email: str) -> list[Letter]:
        return [letter for letter in self._server.letters if letter.recipients == [email]]

    def links(self, email: str, letter: int = 1) -> list[str]:
        """Of the letter with this number to the address, once it is there."""
        wait_for(f"letter {letter}", lambda: len(self.letters(email)) >= letter)
        found = LINK.findall(self.letters(email)[letter - 1].message.get_content())
        SECRETS.learn(*(secret for _, secret in found))
        return [path for path, _ in found]

    def link(self, email: str) -> str:
        number = len(self.letters(email)) + 1
        assert self.ask(email) == SAME_ANSWER
        [link] = self.links(email, number)
        return link


@pytest.fixture
def mailbox(server: MailServer, mailing: ApiProcess, service: Service) -> Mailbox:
    return Mailbox(server, mailing)


def reset(
    person: BrowserClient, link: str, password: str = NEW, repeated: str | None = None
) -> tuple[int, str]:
    form = {"newPassword": password, "repeated": password if repeated is None else repeated}
    answer = person.post(link, data=form)
    return answer.status_code, answer.headers.get("location", answer.text)


def test_a_forgotten_password_is_reset_by_a_mailed_link(
    organization: Organization, mailbox: Mailbox, new_browser: NewBrowser
) -> None:
    elsewhere, tokens = new_browser(), organization.log_in()
    elsewhere.log_in(organization.email)
    person = BrowserClient(mailbox.base_url)
    assert 'href="/app/forgot-password"' in person.sees("/app/login")
    assert 'autocomplete="username"' in person.sees("/app/forgot-password")
    link = mailbox.link(organization.email)
    page = person.get(link)
    assert organization.email in page.text
    assert page.text.count('autocomplete="new-password"') == 2
    # Looking changes nothing: programs that check letters open what is in them.
    assert elsewhere.get("/app").status_code == 200
    assert reset(person, link) == (303, "/app")
    assert organization.email in person.sees("/app")
    assert elsewhere.get("/app").status_code == 303
    refresh = {"refreshToken": tokens["refreshToken"]}
    assert organization.client().post("/authentications/tokens/refresh", json=refresh).status_code == 401
    bearer = organization.client(bearer=tokens["token"])
    assert bearer.get(f"{organization.path}/work-orders").status_code == 401
    assert [new_browser().log_in(organization.email, each).status_code for each in (PASSWORD, NEW)] == [
        401,
        303,
    ]


def test_a_reset_link_works_while_the_login_is_locked(organization: Organization, mailbox: Mailbox) -> None:
    person = BrowserClient(mailbox.base_url)
    assert [person.log_in(organization.email, "wrong").status_code for _ in range(6)][-1] == 429
    assert reset(person, mailbox.link(organization.email)) == (303, "/app")
    person.sees("/app")


def test_the_answer_is_the_same_for_every_address(organization: Organization, mailbox: Mailbox) -> None:
    suspended = organization.new_user("Viewer")
    user = f"{organization.path}/users/{suspended['id']}"
    organization.api.patch(user, json={"status": "Suspended"}).raise_for_status()
    unknown = f"nobody-{organization.id}@example.com"
    for email in (unknown, suspended["email"], organization.email):
        assert mailbox.ask(email) == SAME_ANSWER
    person = BrowserClient(mailbox.base_url)
    assert "If there is an account with this e-mail address" in person.sees("/app/forgot-password?sent=yes")
    # What was asked for first is done by now: the three were begun in this order.
    mailbox.links(organization.email)
    assert mailbox.letters(unknown) == []
    assert mailbox.letters(suspended["email"]) == []


def test_the_answer_does_not_wait_for_the_mail_server(
    organization: Organization, mailbox: Mailbox, server: MailServer, mailing: ApiProcess
) -> None:
    """Otherwise its time would tell that there is an account."""
    server.refuses = True
    try:
        assert mailbox.ask(organization.email) == SAME_ANSWER
        wait_for("a line of the log", lambda: "mail not sent" in mailing.said)
    finally:
        server.refuses = False
    assert organization.email not in mailing.said


@pytest.mark.parametrize(("email", "words"), [("", "Fill this in."), ("no address", "does not look right")])
def test_no_address_is_said_beside_the_field(mailbox: Mailbox, email: str, words: str) -> None:
    status, page = mailbox.ask(email)
    assert status == 422
    assert words in page
    assert 'aria-describedby="email-error"' in page


def test_a_mailbox_gets_few_letters_whether_there_is_an_account_or_not(
    organization: Organization, mailbox: Mailbox
) -> None:
    for email in (organization.email, f"nobody-{organization.id}@example.com"):
        answers = [mailbox.ask(email)[0] for _ in range(6)]
        assert answers == [303] * 5 + [429]
        person = BrowserClient(mailbox.base_url)
        answer = person.post("/app/forgot-password", data={"email": email.upper()})
        assert answer.status_code == 429
        assert 1 <= int(answer.headers["retry-after"]) <= 3600
        assert "Too many e-mails." in answer.text


def test_one_client_address_asks_for_few_letters(mailbox: Mailbox) -> None:
    person = BrowserClient(mailbox.base_url)
    statuses = [
        person.post("/app/forgot-password", data={"email": f"{number}@nowhere.example"}).status_code
        for number in range(21)
    ]
    assert statuses == [303] * 20 + [429]


def test_the_letter_goes_to_the_address_that_the_account_has(
    organization: Organization, mailbox: Mailbox
) -> None:
    assert mailbox.ask(organization.email.upper()) == SAME_ANSWER
    mailbox.links(organization.email)
    assert mailbox.letters(organization.email.upper()) == []


def test_reset_links_use_the_public_url_whatever_the_host_header(
    organization: Organization, mailbox: Mailbox
) -> None:
    forged = {
        "Host": "evil.example",
        "Origin": "http://evil.example",
        "X-Forwarded-Host": "evil.example",
    }
    assert mailbox.ask(organization.email, **forged) == SAME_ANSWER
    mailbox.links(organization.email)
    assert "evil.example" not in mailbox.letters(organization.email)[0].message.as_string()


def test_accounts_with_one_address_get_a_link_each(
    new_organization: Callable[..., Organization], mailbox: Mailbox, new_browser: NewBrowser
) -> None:
    first, second = new_organization(), new_organization()
    second.new_user("Viewer", email=first.email)
    assert mailbox.ask(first.email) == SAME_ANSWER
    links = mailbox.links(first.email)
    assert len(links) == 2
    assert mailbox.letters(first.email)[0].message.get_content().count("Test house:") == 2
    person = BrowserClient(mailbox.base_url)
    assert reset(person, links[1]) == (303, "/app")
    assert second.id in person.sees("/app/settings")
    # The other account is as it was, and so is its link.
    assert new_browser().log_in(first.email, organization=first.id).status_code == 303
    assert reset(person, links[0], "yet another password") == (303, "/app")


def test_people_in_several_organizations_choose_one_afterwards(
    new_organization: Callable[..., Organization], mailbox: Mailbox
) -> None:
    first, second = new_organization(), new_organization()
    email = f"both-{first.id}@example.com"
    person = BrowserClient(mailbox.base_url)
    person.joins(first.invite(email, "Viewer")["link"].removeprefix(first.base_url), PASSWORD)
    person.joins(second.invite(email, "Viewer")["link"].removeprefix(first.base_url))
    assert reset(BrowserClient(mailbox.base_url), mailbox.link(email)) == (303, "/app/organizations")
    # It was the holder's choice: nothing more to choose on joining a third.
    assert first.sql("SELECT own_password FROM accounts WHERE email = $1", email)[0][0] is True


# The end of a link.


def used(organization: Organization, _mailbox: Mailbox, link: str) -> None:
    assert reset(BrowserClient(organization.base_url), link, "some other password")[0] == 303


def expired(organization: Organization, _mailbox: Mailbox, link: str) -> None:
    account = link.rpartition("/")[2].partition(".")[0]
    organization.sql(
        "UPDATE password_resets SET expires_at = $2 WHERE account_id = $1", account, clock.now() - 1
    )


def replaced(organization: Organization, mailbox: Mailbox, _link: str) -> None:
    mailbox.link(organization.email)


def overtaken_by_a_password(organization: Organization, _mailbox: Mailbox, _link: str) -> None:
    path = f"{organization.path}/users/{organization.user_id}"
    organization.api.patch(path, json={"password": "some other password"}).raise_for_status()


def overtaken_by_logging_out_everywhere(organization: Organization, _mailbox: Mailbox, _link: str) -> None:
    person = BrowserClient(organization.base_url)
    person.log_in(organization.email)
    assert person.post("/app/account/log-out-elsewhere").status_code == 303


def suspended(organization: Organization, _mailbox: Mailbox, _link: str) -> None:
    organization.sql(
        "UPDATE memberships SET status = 'Suspended' WHERE organization_id = $1", organization.id
    )


@pytest.mark.parametrize(
    "end",
    [used, expired, replaced, overtaken_by_a_password, overtaken_by_logging_out_everywhere, suspended],
)
def test_an_expired_or_used_link_is_refused(
    organization: Organization,
    mailbox: Mailbox,
    new_browser: NewBrowser,
    end: Callable[[Organization, Mailbox, str], None],
) -> None:
    link, person = mailbox.link(organization.email), new_browser()
    person.sees(link)
    end(organization, mailbox, link)
    assert person.get(link).status_code == 404
    status, page = reset(person, link)
    assert (status, "Ask for a new one" in page) == (404, True)
    assert new_browser().log_in(organization.email, NEW).status_code == 401


@pytest.mark.parametrize(
    "token", ["nonsense", "acc_1.x", ".", "'; --", "x" * 3000, "{account}", "{account}.{secret}"]
)
def test_a_forged_link_is_not_found(
    organization: Organization, mailbox: Mailbox, new_browser: NewBrowser, token: str
) -> None:
    account = mailbox.link(organization.email).rpartition("/")[2].partition(".")[0]
    path = f"/app/password-reset/{token.format(account=account, secret='A' * 43)}"
    person = new_browser()
    assert person.get(path).status_code == 404
    assert reset(person, path)[0] == 404


def test_only_one_of_two_at_once_uses_a_link(organization: Organization, mailbox: Mailbox) -> None:
    link = mailbox.link(organization.email)
    people = [BrowserClient(mailbox.base_url) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        statuses = list(threads.map(lambda n: reset(people[n], link, f"password number {n}")[0], range(4)))
    assert sorted(statuses) == [303, 404, 404, 404]


@pytest.mark.parametrize(
    ("password", "repeated", "words"),
    [
        ("", "", "Fill this in."),
        ("short", "short", "Use at least 8 characters."),
        (NEW, "something else", "This is not the same as the password."),
        (PASSWORD, PASSWORD, "Must differ from the present password"),
    ],
)
def test_errors_are_shown_and_the_link_still_works(
    organization: Organization, mailbox: Mailbox, password: str, repeated: str, words: str
) -> None:
    link, person = mailbox.link(organization.email), BrowserClient(mailbox.base_url)
    status, page = reset(person, link, password, repeated)
    assert status == 422
    assert words in page
    assert not (password and password in page)
    assert reset(person, link)[0] == 303


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://example.com"}, {"Origin": "null"}]
)
def test_another_site_sets_no_password(
    organization: Organization, mailbox: Mailbox, headers: dict[str, str]
) -> None:
    link, person = mailbox.link(organization.email), BrowserClient(mailbox.base_url)
    form = {"newPassword": NEW, "repeated": NEW}
    assert person.post(link, data=form, headers=headers).status_code == 403
    assert (
        person.post("/app/forgot-password", data={"email": "a@b.example"}, headers=headers).status_code == 403
    )
    assert person.get(link).status_code == 200


def test_the_token_does_not_travel(organization: Organization, mailbox: Mailbox, mailing: ApiProcess) -> None:
    link = mailbox.link(organization.email)
    person = BrowserClient(mailbox.base_url)
    page = person.get(link)
    assert page.headers.get_list("referrer-policy") == ["strict-origin"]
    assert page.headers["cache-control"] == "no-store"
    # Nothing of others is loaded or linked to.
    assert all(
        address.startswith("/") for address in re.findall(r'(?:src|href|action)="([^"#]+)"', page.text)
    )
    reset(person, link)
    person.get(link)
    wait_for("a line of the log", lambda: '"POST /app/password-reset/{token}"' in mailing.said)
    secret = link.rpartition(".")[2]
    assert secret not in mailing.said
    assert link.rpartition("/")[2] not in mailing.said


def test_only_a_digest_of_the_link_is_kept_and_not_for_long(
    organization: Organization, mailbox: Mailbox
) -> None:
    token = mailbox.link(organization.email).rpartition("/")[2]
    read = "SELECT r::text FROM password_resets r WHERE account_id = $1"
    account = token.partition(".")[0]
    [(row,)] = organization.sql(read, account)
    secret = token.partition(".")[2]
    assert secret not in row
    assert secret.encode().hex() not in row
    organization.with_pool(lambda pool: delete_expired(pool, clock.now()))
    assert len(organization.sql(read, account)) == 1
    organization.with_pool(lambda pool: delete_expired(pool, clock.now() + 3601))
    assert organization.sql(read, account) == []


@pytest.mark.parametrize(
    "settings", [{}, {"STEWARD_SMTP_URL": "smtp://127.0.0.1:9"}, {"STEWARD_PUBLIC_URL": PUBLIC}]
)
def test_without_mail_the_page_says_who_can_help(
    service: Service, organization: Organization, settings: dict[str, str]
) -> None:
    """A caller must not choose the target of the mailed link."""
    process = service.another_api(**settings)
    person = BrowserClient(process.base_url)
    page = person.sees("/app/forgot-password")
    assert "administrator of your organization" in page
    assert "<form" not in page
    person.post("/app/forgot-password", data={"email": organization.email})
    assert (
        organization.sql(
            "SELECT 1 FROM password_resets r JOIN accounts a ON a.id = account_id WHERE email = $1",
            organization.email,
        )
        == []
    )


# An administrator's link.


def issue(person: BrowserClient, user_id: str) -> tuple[int, str]:
    answer = person.post(f"/app/users/{user_id}/reset-link")
    if answer.status_code != 201:
        return answer.status_code, answer.text
    assert answer.headers["cache-control"] == "no-store"
    found = re.search(r'id="link" value="([^"]+)"', answer.text)
    assert found is not None
    return 201, html.unescape(found[1])


def test_an_administrator_makes_a_link_for_somebody(
    organization: Organization, admin: BrowserClient, new_browser: NewBrowser
) -> None:
    user = organization.new_user("Technician")
    page = admin.sees(f"/app/users/{user['id']}/reset-link")
    assert f'action="/app/users/{user["id"]}/reset-link"' in page
    assert user["email"] in page
    status, link = issue(admin, user["id"])
    assert (status, link.startswith(f"{organization.base_url}/app/password-reset/acc_")) == (201, True)
    assert link not in admin.sees(f"/app/users/{user['id']}/reset-link")
    person = new_browser()
    assert reset(person, link) == (303, "/app")
    assert user["email"] in person.sees("/app")
    assert reset(new_browser(), link)[0] == 404
    assert new_browser().log_in(user["email"], NEW).status_code == 303
    # The administrator may have opened it, too, so it isn't known to the holder alone.
    assert (
        organization.sql("SELECT own_password FROM accounts WHERE email = $1", user["email"])[0][0] is False
    )


def test_a_second_link_replaces_the_first(
    organization: Organization, admin: BrowserClient, new_browser: NewBrowser
) -> None:
    user = organization.new_user("Technician")
    first, second = issue(admin, user["id"])[1], issue(admin, user["id"])[1]
    assert (new_browser().get(first).status_code, new_browser().get(second).status_code) == (404, 200)


def test_reset_links_need_permission_to_change_users(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    viewer = logged_in(organization.new_user("Viewer")["email"])
    other = organization.new_user("Viewer")
    assert viewer.get(f"/app/users/{other['id']}/reset-link").status_code == 403
    assert issue(viewer, other["id"])[0] == 403


def user_manager(organization: Organization) -> dict:
    """May change users, and little else."""
    body = {"name": "Front desk", "permissions": ["users:read", "users:write"]}
    role = organization.created("roles", body)
    return organization.new_user(roleIds=[role["id"]])


def test_a_reset_link_for_a_user_with_more_permissions_is_refused(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    person = logged_in(user_manager(organization)["email"])
    status, page = issue(person, organization.user_id)
    assert (status, "permissions that you lack" in page) == (403, True)
    assert issue(person, organization.new_user()["id"])[0] == 201


def test_users_cannot_create_a_reset_link_for_themselves(
    organization: Organization, admin: BrowserClient
) -> None:
    """A session that was left open would be enough for a new password."""
    status, page = issue(admin, organization.user_id)
    assert (status, "page of your account" in page) == (409, True)


def test_people_of_another_organization_are_not_found(
    other_organization: Organization, admin: BrowserClient
) -> None:
    assert admin.get(f"/app/users/{other_organization.user_id}/reset-link").status_code == 404
    assert issue(admin, other_organization.user_id)[0] == 404


def test_a_suspended_person_gets_no_link(organization: Organization, admin: BrowserClient) -> None:
    user = organization.new_user("Viewer")
    path = f"{organization.path}/users/{user['id']}"
    organization.api.patch(path, json={"status": "Suspended"}).raise_for_status()
    status, page = issue(admin, user["id"])
    assert (status, "suspended" in page) == (409, True)


def test_a_shared_account_belongs_to_no_single_organization(
    organization: Organization,
    other_organization: Organization,
    admin: BrowserClient,
    new_browser: NewBrowser,
) -> None:
    email, person = f"both-{organization.id}@example.com", new_browser()
    person.joins(organization.invite(email, "Viewer")["link"], PASSWORD)
    user_id = organization.users()[email]["id"]
    status, link = issue(admin, user_id)
    assert status == 201
    # A link from before doesn't follow the account into another organization.
    person.joins(other_organization.invite(email, "Viewer")["link"])
    assert reset(new_browser(), link)[0] == 404
    person.sees("/app")
    status, page = issue(admin, user_id)
    assert (status, "steward user set-password" in page) == (409, True)
    assert new_browser().log_in(email).status_code == 303


def is_suspended(organization: Organization, maker: dict, _user: dict) -> None:
    path = f"{organization.path}/users/{maker['id']}"
    organization.api.patch(path, json={"status": "Suspended"}).raise_for_status()


def loses_the_permission(organization: Organization, maker: dict, _user: dict) -> None:
    path = f"{organization.path}/users/{maker['id']}"
    organization.api.patch(path, json={"roleIds": organization.role_ids("Viewer")}).raise_for_status()


def is_overtaken(organization: Organization, _maker: dict, user: dict) -> None:
    path = f"{organization.path}/users/{user['id']}"
    organization.api.patch(path, json={"roleIds": organization.role_ids("Administrator")}).raise_for_status()


@pytest.mark.parametrize("end", [is_suspended, loses_the_permission, is_overtaken])
def test_a_link_ends_when_its_creator_loses_permission(
    organization: Organization,
    logged_in: Callable[[str], BrowserClient],
    new_browser: NewBrowser,
    end: Callable[[Organization, dict, dict], None],
) -> None:
    maker, user = user_manager(organization), organization.new_user()
    person = logged_in(user["email"])
    status, link = issue(logged_in(maker["email"]), user["id"])
    assert status == 201
    end(organization, maker, user)
    assert reset(new_browser(), link)[0] == 404
    # Nothing has happened.
    person.sees("/app")
    assert (
        Client(organization.base_url)
        .post("/authentications/tokens", json={"account": user["email"], "password": PASSWORD})
        .status_code
        == 200
    )
