from functools import partial

from steward.assets.chirpstack import actions, queries
from steward.assets.chirpstack.actions import CheckUrl
from steward.assets.chirpstack.model import EXAMPLE, ChirpStackServer, NewChirpStackServer
from steward.assets.chirpstack.rules import public
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Permission
from steward.kit.security.url_guard import check_url

_PATH = "/organizations/{orgId}/integrations/chirpstack/settings"


async def read(call: Call[NoBody, NoQuery]) -> Response:
    return one(public(await queries.find(call.db, call.caller.tenant)))


async def change(
    encryption: Encryption, check: CheckUrl, call: Call[NewChirpStackServer, NoQuery]
) -> Response:
    target = call.context.on(call.caller.tenant, call.precondition)
    return one(await actions.set_server(encryption, check, target, call.body))


def routes(encryption: Encryption, *, allow_local: bool) -> tuple[Route, ...]:
    return (
        Route(
            method="GET",
            path=_PATH,
            handler=read,
            tag="Commands",
            summary="Read where ChirpStack is",
            client_name="readChirpstackSettings",
            permission=Permission.ORGANIZATION_READ,
            gives=ChirpStackServer,
            example=EXAMPLE,
        ),
        Route(
            method="PUT",
            path=_PATH,
            handler=partial(change, encryption, partial(check_url, allow_local)),
            tag="Commands",
            summary="Say where ChirpStack is",
            client_name="changeChirpstackSettings",
            permission=Permission.ORGANIZATION_WRITE,
            gives=ChirpStackServer,
            body=NewChirpStackServer,
            description="Commands to assets whose externalId is an EUI go there: `POST {url}/api/devices/{eui}/queue`, with the "
            "token as bearer. The token is encrypted at rest and never shown. Without a `url`, ChirpStack is forgotten.",
            example=EXAMPLE,
            body_example={"url": "https://chirpstack.example.com", "token": "eyJhbGciOiJIUzI1NiJ9.e30.Q7xk"},
        ),
    )
