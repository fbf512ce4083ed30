"""A page of the web app is data, like a route of the API: its permission, its form, its handler.

Slices declare their pages; the web app serves all of them in the same way.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, tzinfo
from typing import Any, Generic, TypeVar

import msgspec

from steward.kit.db.cursors import Cursors
from steward.kit.db.listing import Listing
from steward.kit.db.lookup import Lookup
from steward.kit.db.pool import Database
from steward.kit.db.table import Table
from steward.kit.domain.list_query import PageQuery
from steward.kit.domain.problems import Problem
from steward.kit.http.response import Headers, Response, StreamingResponse
from steward.kit.http.route import NoQuery
from steward.kit.records import records
from steward.kit.records.context import Context
from steward.kit.security.caller import Caller, OwnOnly, TenantId
from steward.kit.security.permissions import Need, is_met
from steward.kit.web.form import SubmittedForm

F = TypeVar("F")
Q = TypeVar("Q")
R = TypeVar("R", bound=msgspec.Struct)


class Picked(msgspec.Struct, frozen=True):
    """The record that a picker shows, and what it is called."""

    id: str | None
    name: str | None


class ListPart(msgspec.Struct, Generic[R], frozen=True):
    """A part of a list that is shown on a page of its own making, and the cursor of the next one."""

    rows: list[R]
    next_page: str | None
    first_page: bool = True


class RenderedPanel(msgspec.Struct, frozen=True):
    id: str
    title: str
    html: str


class PageRequest(msgspec.Struct, Generic[F, Q], kw_only=True, eq=False):
    """One request for a page that has passed every check."""

    db: Database
    cursors: Cursors
    caller: Caller
    form: SubmittedForm[F]
    query: Q
    # When the request came, in Unix seconds.
    now: int
    # The public form of an error.
    explain: Callable[[Exception], Problem]
    # The panels of other slices on the page of a record, by its kind and identifier.
    show_panels: Callable[["PageRequest[Any, Any]", str, str], Awaitable[list[RenderedPanel]]]
    params: Mapping[str, str] = {}
    # The query string without blank values; several values of a name are joined by commas.
    arguments: Mapping[str, str] = {}
    # The viewer's time zone.
    zone: tzinfo = UTC
    client: str = ""
    cookie: str | None = None
    # Values that `kit.web.remember` stored in the browser.
    remembered: Mapping[str, str] = {}
    https: bool = False
    headers: Mapping[str, str] = {}

    @property
    def host(self) -> str:
        """The Host header, as the caller sent it."""
        return self.headers.get("host", "")

    @property
    def tenant(self) -> TenantId:
        return self.caller.tenant

    @property
    def context(self) -> Context:
        """What verbs take."""
        return Context(self.db, self.caller, self.now * 1000)

    async def get(
        self, table: Table[R], id_name: str, *, within: str | None = None, own: OwnOnly | None = None
    ) -> R:
        """The record that the path names, inside the one that its part `within` names."""
        parent = None if within is None else self.params[within]
        return await records.get(self.db, table, self.tenant, self.params[id_name], within=parent, own=own)

    async def name(self, lookup: Lookup, id: str | None) -> str | None:
        return await lookup.name(self.db, self.tenant, id)

    async def names(self, lookup: Lookup, ids: Iterable[str | None]) -> dict[str, str]:
        return await lookup.names(self.db, self.tenant, ids)

    async def picked(self, lookup: Lookup, field: str, stored: Picked | None = None) -> Picked:
        """What the picker of a form shows: as it was sent, or else as stored, or from the page's address."""
        id = self.form.value(field, self.arguments.get(field, "") if stored is None else stored.id)
        return stored if stored and stored.id == id else Picked(id, await self.name(lookup, id))

    async def part(
        self,
        listing: Listing,
        record: type[R],
        query: PageQuery,
        *,
        within: str | None = None,
        own: OwnOnly | None = None,
    ) -> ListPart[R]:
        """`within` is the identifier of the list's parent."""
        found = await listing.page(self.db, self.cursors, self.tenant, query, parent_id=within, own=own)
        rows = [msgspec.json.decode(item, type=record) for item in found.items]
        return ListPart(rows, found.last_evaluated_key, query.last_evaluated_key is None)

    def may(self, *needs: Need) -> bool:
        """Whether the caller has one of these."""
        return any(is_met(need, self.caller.permissions) for need in needs)

    async def panels(self, of: str, id: str) -> list[RenderedPanel]:
        return await self.show_panels(self, of, id)


class NoValues(msgspec.Struct, frozen=True):
    """Of a template that shows nothing else than what every template may use."""


class View(msgspec.Struct, frozen=True):
    """A template and its values. `work_orders/list.html` is in that slice's `templates` folder.

    `fragments` are the parts of the page that can be fetched alone, by the id of their element. A view that is
    `secret` is stored in no cache.
    """

    template: str
    values: msgspec.Struct = NoValues()
    status: int = 200
    headers: Headers = []
    fragments: Mapping[str, str] = {}
    secret: bool = False


class Redirect(msgspec.Struct, frozen=True):
    """The answer to a form that succeeded."""

    to: str
    headers: Headers = []


Outcome = View | Redirect | Response | StreamingResponse
Handler = Callable[[PageRequest[Any, Any]], Awaitable[Outcome]]


class WebPage(msgspec.Struct, frozen=True):
    method: str
    path: str
    handler: Handler
    # None: any logged-in person.
    permission: Need | None = None
    # For people who aren't logged in, too.
    public: bool = False
    form: type[msgspec.Struct] | None = None
    # The form may carry files.
    upload: bool = False
    query: type[msgspec.Struct] = NoQuery
    # A long read: where the database has replicas, one of them answers.
    from_replica: bool = False

    @property
    def name(self) -> str:
        return f"{self.method} {self.path or '/'}"


class Panel(msgspec.Struct, frozen=True):
    """A part of another slice's page: `of` is the kind of record that the page shows.

    So the page of an asset shows its work orders, although assets know nothing of work orders. The handler is given
    the record's identifier; None leaves the panel out.
    """

    of: str
    id: str
    title: str
    handler: Callable[[PageRequest[Any, Any], str], Awaitable[View | None]]
    permission: Need | None = None
    # Panels of a page stand in this order.
    place: int = 0
