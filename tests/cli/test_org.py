"""`steward org create`: the API's own rules, and where the password comes from."""

import json
import os
import sys
from pathlib import Path

import click.testing
import pytest
from tests.cli.terminal import at_a_terminal
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Client, Organization

from steward.cli import group

PASSWORD = "a password from the operator"


def create(
    organization: Organization, *arguments: str, email: str = "grace@example.com", name: str = "Second house"
) -> click.testing.Result:
    runner = click.testing.CliRunner(env={key: None for key in os.environ if key.startswith("STEWARD_")})
    words = ("org", "create", name, "--admin-email", email, *arguments)
    return runner.invoke(group, [*words, "--database-url", organization.database_url])


def test_the_password_comes_from_a_file_and_an_address_may_have_an_account_elsewhere(
    organization: Organization, tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\nwhatever follows\n", encoding="utf-8")
    made = create(organization, "--admin-password-file", str(file), "--json", email=organization.email)
    assert made.exit_code == 0, made.output
    assert f"{organization.email} has an account already, which stays as it is" in made.stderr
    created = json.loads(made.stdout)
    api = Client(organization.base_url, key=created["apiKey"]["secret"])
    assert data_of(api.get(f"/organizations/{created['organizationId']}"))["name"] == "Second house"
    for password in (PASSWORD, organization.password):
        assert BrowserClient(organization.base_url).log_in(organization.email, password).status_code == 303


def test_the_password_is_asked_for_on_a_terminal(organization: Organization, tmp_path: Path) -> None:
    email = f"grace-{organization.id}@example.com"
    words = (
        "org",
        "create",
        "Third house",
        "--admin-email",
        email,
        "--database-url",
        organization.database_url,
    )
    code, said = at_a_terminal([sys.executable, "-m", "steward", *words], tmp_path, [PASSWORD, PASSWORD])
    assert code == 0, said
    assert PASSWORD not in said
    assert "has an account already" not in said
    assert BrowserClient(organization.base_url).log_in(email, PASSWORD).status_code == 303


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"email": "grace"}, "--admin-email must be an e-mail address"),
        ({"email": f"{'x' * 250}@example.com"}, "--admin-email must have at most 254 characters"),
        ({"name": " "}, "the name must not be blank"),
        ({"name": "x" * 201}, "the name must have at most 200 characters"),
        ({"password": "short"}, "the password must have at least 8 characters"),
        ({"password": "x" * 201}, "the password must have at most 200 characters"),
        ({"password": ""}, "there is no terminal to ask on: give --admin-password-file"),
    ],
    ids=str,
)
def test_forms_are_refused_with_the_messages_of_the_api(
    shared_organization: Organization, given: dict[str, str], words: str
) -> None:
    password = given.get("password", PASSWORD)
    options = ("--admin-password", password) if password else ()
    fields = {name: value for name, value in given.items() if name != "password"}
    refused = create(shared_organization, *options, **fields)
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (1, "", 1), refused.output
    assert words in refused.stderr


def test_an_address_may_be_longer_than_a_name(organization: Organization) -> None:
    made = create(organization, "--admin-password", PASSWORD, email=f"{'x' * 240}@example.com")
    assert made.exit_code == 0, made.output
