"""The ChirpStack connection, among the integrations."""

from functools import partial
from typing import Any

from msgspec import UNSET

from steward.assets.chirpstack import actions, queries
from steward.assets.chirpstack.model import ChirpStackServer, NewChirpStackServer, ServerUrl, Token
from steward.assets.chirpstack.rules import public
from steward.kit.domain.fields import Body
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Permission
from steward.kit.security.url_guard import check_url
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit

PATH = "/app/integrations/chirpstack"


class ServerForm(Body, frozen=True):
    """A blank token stays as it is."""

    url: ServerUrl | None = None
    token: Token | None = None

    def server(self) -> NewChirpStackServer:
        return NewChirpStackServer(url=self.url, token=UNSET if self.token is None else self.token)


async def show(request: PageRequest[Any, Any], status: int = 200) -> View:
    server = public(await queries.find(request.db, request.tenant))
    return View("assets/chirpstack.html", server, status, secret=True)


async def change(encryption: Encryption, allow_local: bool, request: PageRequest[ServerForm, Any]) -> Outcome:  # noqa: FBT001 (bound once, by its place)
    async def put(form: ServerForm) -> ChirpStackServer:
        return await actions.set_server(
            encryption, partial(check_url, allow_local), request.context.on(request.tenant), form.server()
        )

    return await submit(request, put, to=lambda _: Redirect(PATH), again=partial(show, request))


def pages(encryption: Encryption, *, allow_local: bool) -> tuple[WebPage, ...]:
    return (
        WebPage("GET", PATH, show, Permission.ORGANIZATION_READ),
        WebPage(
            "POST",
            PATH,
            partial(change, encryption, allow_local),
            Permission.ORGANIZATION_WRITE,
            form=ServerForm,
        ),
    )
