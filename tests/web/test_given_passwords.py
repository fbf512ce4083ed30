"""Passwords that an organization chose for somebody, which others know."""

from collections.abc import Callable

from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Organization

NEW = "a password of my own"
REFUSAL = 'id="newPassword-error">Must not be a password that somebody else chose'


def test_a_password_set_by_an_organization_never_becomes_the_personal_one(
    new_organization: Callable[..., Organization], new_browser: Callable[[], BrowserClient]
) -> None:
    """Not after another one in between, either: those who know it would come into every organization that was joined since."""
    first, second = new_organization(), new_organization()
    user, chosen = f"{first.path}/users/{first.user_id}", "the second one they chose"
    assert first.api.patch(user, json={"password": chosen}).status_code == 200
    person = new_browser()
    person.log_in(first.email, chosen)
    link = second.invite(first.email, "Viewer")["link"]
    form = {"user": first.user_id, "oldPassword": chosen, "newPassword": PASSWORD, "repeated": PASSWORD}
    answer = person.post(link, data=form)
    assert (answer.status_code, REFUSAL in answer.text) == (422, True)
    assert first.email not in second.users()
    person.joins(link, NEW, old=chosen)
    for given in (PASSWORD, chosen):
        answer = person.post(
            "/app/account", data={"oldPassword": NEW, "newPassword": given, "repeated": given}
        )
        assert (answer.status_code, REFUSAL in answer.text) == (422, True)
        assert new_browser().log_in(first.email, given).status_code == 401
    own = {"oldPassword": NEW, "newPassword": "another of my own", "repeated": "another of my own"}
    assert person.post("/app/account", data=own).status_code == 303
    # What was one's own before may come back.
    own = {"oldPassword": own["newPassword"], "newPassword": NEW, "repeated": NEW}
    assert person.post("/app/account", data=own).status_code == 303
