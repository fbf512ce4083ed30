"""A page of the web app is data, like a route of the API: who may see it, what it takes, what it shows.

A slice says which pages it has and what stands on them; the web app serves them all in the same way.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from steward.kit.db.pagination import Cursors
from steward.kit.db.pool import Database
from steward.kit.http.response import Headers, Response
from steward.kit.http.route import NoQuery
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Permission

F = TypeVar("F")
Q = TypeVar("Q")


class SubmittedForm(Generic[F]):
    """A form as it was sent. It has no content while a field is wrong; `errors` tells which one, and how."""

    def __init__(self, sent: Mapping[str, list[str]], content: F | None, errors: dict[str, str]) -> None:
        self.sent = sent
        self.content = content
        self.errors = errors

    def value(self, name: str, otherwise: str = "") -> str:
        """What to fill a field with when the form is shown again."""
        return self.sent.get(name, [otherwise])[-1]

    def values(self, name: str) -> list[str]:
        return self.sent.get(name, [])


def empty_form() -> SubmittedForm[Any]:
    return SubmittedForm({}, None, {})


class PageRequest(Generic[F, Q]):
    """One request for a page that has passed every check."""

    __slots__ = ("caller", "client", "cookie", "cursors", "db", "form", "https", "now", "params", "query")

    def __init__(
        self,
        *,
        db: Database,
        cursors: Cursors,
        caller: Caller,
        form: SubmittedForm[F],
        query: Q,
        now: int,
    ) -> None:
        self.db = db
        self.cursors = cursors
        self.caller = caller
        self.form = form
        self.query = query
        # When the request came, in Unix seconds.
        self.now = now
        self.params: Mapping[str, str] = {}
        self.client = ""
        self.cookie: str | None = None
        self.https = False

    def may(self, permission: Permission) -> bool:
        return permission in self.caller.permissions


class View(msgspec.Struct, frozen=True):
    """A template and what it is filled with. `work_orders/list.html` lies in that slice's `templates` folder."""

    template: str
    values: dict[str, Any]
    status: int = 200
    headers: Headers = []


class Redirect(msgspec.Struct, frozen=True):
    """Go and look there: the answer to a form that did something."""

    to: str
    headers: Headers = []


Handler = Callable[[PageRequest[Any, Any]], Awaitable[View | Redirect | Response]]


class WebPage(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    path: str
    handler: Handler
    # None: everyone who is logged in.
    permission: Permission | None = None
    # For people who aren't logged in, too.
    public: bool = False
    form: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] = NoQuery
    # Its name in the navigation, where it has a place there.
    menu: str | None = None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path or '/'}"
