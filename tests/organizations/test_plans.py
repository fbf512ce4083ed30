"""The plan opens the API or closes it, at once."""

from collections.abc import Callable

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization

TEXT = "API access requires Professional or Enterprise plan"


def is_refused_for_plan(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json()["error"], answer.json()["message"]) == (403, "Forbidden", TEXT)


@pytest.mark.parametrize("plan", ["Professional", "Enterprise"])
def test_a_plan_with_api_lets_keys_in(new_organization: Callable[..., Organization], plan: str) -> None:
    organization = new_organization(plan)
    assert data_of(organization.api.get(organization.path))["plan"] == plan


def test_a_key_on_starter_gets_the_plans_that_have_an_api(
    new_organization: Callable[..., Organization],
) -> None:
    organization = new_organization("Starter")
    assert is_refused_for_plan(organization.api.get(f"{organization.path}/work-orders"))


def test_starter_plans_get_no_tokens(new_organization: Callable[..., Organization]) -> None:
    organization = new_organization("Starter")
    answer = Client(organization.base_url).post(
        "/authentications/tokens", json={"account": organization.email, "password": organization.password}
    )
    assert is_refused_for_plan(answer)


def test_a_change_of_plan_applies_to_the_next_request(organization: Organization) -> None:
    bearer = organization.client(bearer=organization.log_in()["token"])
    for plan in ("Starter", "Professional", "Starter", "Enterprise"):
        organization.set_plan(plan)
        for caller in (organization.api, bearer):
            answer = caller.get(f"{organization.path}/work-orders")
            assert is_refused_for_plan(answer) if plan == "Starter" else answer.status_code == 200


def test_a_refresh_token_is_refused_on_starter(organization: Organization) -> None:
    tokens = organization.log_in()
    organization.set_plan("Starter")
    answer = Client(organization.base_url).post(
        "/authentications/tokens/refresh", json={"refreshToken": tokens["refreshToken"]}
    )
    assert is_refused_for_plan(answer)


def test_the_plan_is_checked_before_the_organization(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    assert is_refused_for_plan(new_organization("Starter").api.get(f"{organization.path}/work-orders"))
