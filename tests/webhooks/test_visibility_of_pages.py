"""The web app shows of events, webhooks and deliveries what the viewer may read."""

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

EVENTS = "/app/integrations/events"
WEBHOOKS = "/app/integrations/webhooks"
PERMISSIONS = ["events:read", "webhooks:read", "webhooks:write", "assets:read"]


@pytest.fixture
def lesser(organization: Organization) -> BrowserClient:
    """Somebody who may read assets and no other records."""
    role = organization.created("roles", {"name": "Integrator", "permissions": PERMISSIONS})
    user = organization.new_user(roleIds=[role["id"]])
    person = BrowserClient(organization.base_url)
    assert person.log_in(user["email"]).status_code == 303
    return person


def test_event_log_shows_what_the_viewer_may_read(organization: Organization, lesser: BrowserClient) -> None:
    organization.assets.create(name="Boiler 7")
    organization.created("visitors", {"name": "Grace Murray"})
    page = lesser.get(EVENTS).text
    assert "Boiler 7" in page
    assert "Grace Murray" not in page
    assert "visitor.registered" not in page
    hidden = next(event for event in organization.events() if event["type"] == "visitor.registered")
    assert lesser.get(f"{EVENTS}/{hidden['id']}").status_code == 404


def test_webhook_form_offers_what_the_maker_may_read(lesser: BrowserClient) -> None:
    form = lesser.get(f"{WEBHOOKS}/new").text
    assert 'value="asset.created"' in form
    assert 'value="visitor.registered"' not in form


def test_delivery_log_shows_what_the_viewer_may_read(
    organization: Organization, lesser: BrowserClient
) -> None:
    webhook = organization.webhooks.create("*")
    organization.assets.create(name="Boiler 7")
    organization.created("visitors", {"name": "Grace Murray"})
    shown = {one["eventType"]: one["id"] for one in organization.webhooks.deliveries(webhook)}
    path = f"{WEBHOOKS}/{webhook['webhookId']}"
    page = lesser.get(path).text
    assert shown["asset.created"] in page
    assert shown["visitor.registered"] not in page
    assert "<option>asset.created" in page
    assert "<option>visitor." not in page
    assert lesser.get(f"{path}/deliveries/{shown['asset.created']}").status_code == 200
    assert lesser.get(f"{path}/deliveries/{shown['visitor.registered']}").status_code == 404


def test_saving_a_form_keeps_unchanged_event_types(organization: Organization, lesser: BrowserClient) -> None:
    webhook = organization.webhooks.create("*")
    path = f"{WEBHOOKS}/{webhook['webhookId']}"
    sent = {"url": webhook["url"], "events": ["*"], "description": "ERP"}
    assert lesser.post(path, data=sent).status_code == 303
    stored = data_of(organization.api.get(organization.webhooks.path_of(webhook)))
    assert (stored["description"], stored["types"]) == ("ERP", webhook["types"])
