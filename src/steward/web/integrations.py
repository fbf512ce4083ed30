"""The start page for integrations: how to call the API, receive events and connect devices."""

from functools import partial
from typing import Any
from urllib.parse import urlsplit

import msgspec

from steward.assets import queries as assets
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.organizations.model import PLAN_REQUIRED, Plan
from steward.settings import Settings
from steward.users.invitations.rules import own_url

PATH = "/app/integrations"
_PORTS = {"mqtt": 1883, "mqtts": 8883}


class IntegrationsPage(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    plan_required: str | None
    # The options for the broker; None without one.
    broker: str | None
    device: str | None
    device_name: str | None


async def show(settings: Settings, request: PageRequest[Any, Any]) -> View:
    """`?assetId=…` selects the device of the examples."""
    asset_id = request.arguments.get("assetId")
    # Only people who may see assets learn their names here.
    known = asset_id and request.may(Permission.ASSETS_READ)
    name = await assets.LOOKUP.name(request.db, request.caller.tenant, asset_id) if known else None
    page = IntegrationsPage(
        url=settings.public_url or own_url(request.host, https=request.https),
        plan_required=None if Plan(request.caller.plan).includes_api else PLAN_REQUIRED,
        broker=broker_options(settings.mqtt_url),
        device=asset_id if name else None,
        device_name=name,
    )
    return View("web/integrations.html", page)


def broker_options(url: str | None) -> str | None:
    """The options of `mosquitto_pub` for the broker. User and password in the setting are the service's, not a device's."""
    if url is None:
        return None
    parts = urlsplit(url)
    port = parts.port or _PORTS[parts.scheme]
    return f"-h {parts.hostname} -p {port}{' --tls-use-os-certs' if parts.scheme == 'mqtts' else ''}"


def pages(settings: Settings) -> tuple[WebPage, ...]:
    return (WebPage("GET", PATH, partial(show, settings), Permission.EVENTS_READ),)
