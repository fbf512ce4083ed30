"""The plan opens the API or closes it, at once."""

from collections.abc import Callable

import httpx
import pytest
from tests.support.organizations import Client, Organization

TEXT = "API access requires Professional or Enterprise plan"


def is_refused_for_plan(answer: httpx.Response) -> bool:
    return (answer.status_code, answer.json()["error"], answer.json()["message"]) == (403, "Forbidden", TEXT)


@pytest.mark.parametrize("plan", ["Professional", "Enterprise"])
def test_a_plan_with_api_lets_keys_in(found: Callable[..., Organization], plan: str) -> None:
    org = found(plan)
    assert org.api.get(org.path).json()["data"]["plan"] == plan


def test_a_key_on_starter_is_told_which_plans_have_an_api(found: Callable[..., Organization]) -> None:
    org = found("Starter")
    assert is_refused_for_plan(org.api.get(f"{org.path}/work-orders"))


def test_nobody_gets_tokens_on_starter(found: Callable[..., Organization]) -> None:
    org = found("Starter")
    answer = Client(org.base_url).post(
        "/authentications/tokens", json={"account": org.email, "password": org.password}
    )
    assert is_refused_for_plan(answer)


def test_a_downgrade_acts_on_the_next_request_and_an_upgrade_too(org: Organization) -> None:
    bearer = org.client(bearer=org.log_in()["token"])
    for plan in ("Starter", "Professional", "Starter", "Enterprise"):
        org.set_plan(plan)
        for caller in (org.api, bearer):
            answer = caller.get(f"{org.path}/work-orders")
            assert is_refused_for_plan(answer) if plan == "Starter" else answer.status_code == 200


def test_a_refresh_token_is_worth_nothing_on_starter(org: Organization) -> None:
    tokens = org.log_in()
    org.set_plan("Starter")
    answer = Client(org.base_url).post(
        "/authentications/tokens/refresh", json={"refreshToken": tokens["refreshToken"]}
    )
    assert is_refused_for_plan(answer)


def test_the_plan_is_checked_before_the_organization(
    org: Organization, found: Callable[..., Organization]
) -> None:
    assert is_refused_for_plan(found("Starter").api.get(f"{org.path}/work-orders"))
