"""The pages of one kind of record: what a resource is to the API.

A slice shows one record; what its forms and buttons do comes from the same actions as in the API. Each leads back to the
record, or to where its address says (`?next=/app/…`); one that is refused shows the record with what is wrong.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlsplit

import msgspec

from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.http.verbs import ChangeVerb, CreateVerb, MoveVerb
from steward.kit.records.context import Target
from steward.kit.records.moves import Moves
from steward.kit.security.permissions import Need
from steward.kit.web.list_page import ListPage
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit

B = TypeVar("B", bound=msgspec.Struct)
C = TypeVar("C", bound=msgspec.Struct)
Show = Callable[[PageRequest[Any, Any], int], Awaitable[View]]
# Where a form leads: a path with the parts of the page's own, or what is made of what its action returned.
To = str | Callable[[PageRequest[Any, Any], Any], Redirect | View]
Say = Callable[[PageRequest[Any, Any], Awaitable[Any]], Awaitable[Any]]
HOME = "/app"
_IN_ADDRESSES = "/?#[]@!$&'()*+,;=:%~"


def _as_it_is(_request: PageRequest[Any, Any], work: Awaitable[Any]) -> Awaitable[Any]:
    return work


class RecordPages(msgspec.Struct, frozen=True):
    """`show` makes the page of the record that the path names, with a status; `show_new` the one of the form for a new one.

    `leads_to` is the page that a form leads to, where that isn't the record's. `say` awaits what an action does and puts
    its refusals into the viewer's words.
    """

    path: str
    id_name: str
    read_permission: Need
    write_permission: Need
    show: Show
    show_new: Show | None = None
    # Who may make one, where that isn't who may write.
    create_permission: Need | None = None
    # The part of the path that names the parent, if records have one.
    within: str | None = None
    leads_to: str | None = None
    say: Say = _as_it_is

    @classmethod
    def of(
        cls, listed: ListPage[Any], id_name: str, show: Show, show_new: Show | None = None, **more: Any
    ) -> "RecordPages":
        """Of the records of a list, with its path and its permissions."""
        values = {
            "path": listed.path,
            "read_permission": listed.permission,
            "write_permission": listed.write_permission,
            "create_permission": listed.write_permission,
            **more,
        }
        return cls(id_name=id_name, show=show, show_new=show_new, **values)

    def below(self, path: str, id_name: str, show: Show, *, leads_to: str | None = None) -> "RecordPages":
        """Of the records that lie within one of these."""
        one = RecordPages(f"{self.one}/{path}", id_name, self.read_permission, self.write_permission, show)
        return msgspec.structs.replace(one, within=self.id_name, leads_to=leads_to)

    def pages(
        self, create: CreateVerb[B], new: type[B], change: ChangeVerb[C], changes: type[C], delete: MoveVerb
    ) -> tuple[WebPage, ...]:
        """What nearly all records have: a form for a new one, a page with a form that changes it, a button that deletes it."""
        return (
            self.new(),
            self.create(create, form=new),
            self.read(),
            self.change(change, form=changes),
            self.delete(delete),
        )

    def read(self) -> WebPage:
        return WebPage("GET", self.one, lambda request: self.show(request, 200), self.read_permission)

    def new(self) -> WebPage:
        """The form for a new one, at an address of its own."""
        show = cast(Show, self.show_new)
        return WebPage("GET", f"{self.path}/new", lambda request: show(request, 200), self._creates)

    def create(self, action: CreateVerb[B], *, form: type[B], to: To | None = None) -> WebPage:
        async def handler(request: PageRequest[Any, Any]) -> Outcome:
            return await submit(
                request,
                lambda body: self.say(request, action(request.context, body)),
                to=lambda made: self._led(request, getattr(made, made.__struct_fields__[0]), to, made),
                again=lambda status: cast(Show, self.show_new)(request, status),
                name="new",
            )

        return WebPage("POST", self.path, handler, self._creates, form=form)

    def change(
        self,
        action: ChangeVerb[B],
        *,
        form: type[B],
        name: str = "change",
        path: str = "",
        permission: Need | None = None,
        to: To | None = None,
    ) -> WebPage:
        """A form that changes the record. Several of them on a page have different names and paths."""
        return self._post(name, action, permission, path=path, form=form, to=to)

    def move(
        self, verb: str, action: MoveVerb, *, permission: Need | None = None, to: To | None = None
    ) -> WebPage:
        """A button."""
        return self._post(verb, lambda ctx, _: action(ctx), permission, path=f"/{verb}", to=to)

    def move_with(
        self,
        verb: str,
        action: ChangeVerb[B],
        *,
        form: type[B],
        permission: Need | None = None,
        to: To | None = None,
    ) -> WebPage:
        """A button with a form, such as for a reason."""
        return self._post(verb, action, permission, path=f"/{verb}", form=form, to=to)

    def archiving(self, archive: MoveVerb, restore: MoveVerb) -> tuple[WebPage, WebPage]:
        """The two buttons for what has a past."""
        return self.move("archive", archive), self.move("restore", restore)

    def delete(self, action: MoveVerb) -> WebPage:
        return self.move("delete", action, to=self.leads_to or self.path)

    @property
    def _creates(self) -> Need:
        return self.create_permission or self.write_permission

    @property
    def one(self) -> str:
        return f"{self.path}/{{{self.id_name}}}"

    def redirect_after(self, request: PageRequest[Any, Any], id: str, to: str | None = None) -> Redirect:
        """Where the browser goes after a form succeeded: not everybody may see the record."""
        if address := next_path(request):
            return Redirect(address)
        path = (to or self.leads_to or self.one).format(**{**request.params, self.id_name: id})
        return Redirect(path if request.may(self.read_permission) else HOME)

    def _led(self, request: PageRequest[Any, Any], id: str, to: To | None, done: Any) -> Redirect | View:
        return to(request, done) if callable(to) else self.redirect_after(request, id, to)

    async def _again(self, request: PageRequest[Any, Any], status: int) -> View:
        """Callers who may act on a record without seeing it get the error alone."""
        if not request.may(self.read_permission):
            raise request.form.refusal()
        return await self.show(request, status)

    def target(self, request: PageRequest[Any, Any]) -> Target:
        parent = None if self.within is None else request.params[self.within]
        return request.context.on(request.params[self.id_name], expected_version(request), within=parent)

    def _post(
        self,
        name: str,
        action: Callable[[Target, Any], Awaitable[Any]],
        permission: Need | None,
        *,
        path: str,
        form: type[B] | None = None,
        to: To | None = None,
    ) -> WebPage:
        async def handler(request: PageRequest[Any, Any]) -> Outcome:
            target = self.target(request)
            return await submit(
                request,
                lambda content: self.say(request, action(target, content)),
                to=lambda done: self._led(request, target.id, to, done),
                again=lambda status: self._again(request, status),
                name=name,
            )

        return WebPage("POST", f"{self.one}{path}", handler, permission or self.write_permission, form=form)


def expected_version(request: PageRequest[Any, Any]) -> Precondition:
    """The version that the form was filled in for, where its address names one."""
    version = request.arguments.get("version")
    return UNCONDITIONAL if version is None else Precondition((version,))


def next_path(request: PageRequest[Any, Any]) -> str | None:
    """Where the form's address says to go next: a page of ours and nothing else."""
    path = request.arguments.get("next", "")
    parts = urlsplit(path)
    inside = path.startswith(f"{HOME}/") or path.split("?")[0] == HOME
    if not inside or parts.netloc or parts.scheme or "\\" in path or not path.isprintable():
        return None
    # It goes into a header, which holds no other characters.
    return quote(path, safe=_IN_ADDRESSES)


def allowed_moves(
    request: PageRequest[Any, Any], moves: Moves[Any, Any], status: str, permissions: Mapping[str, Need]
) -> list[Any]:
    """The buttons for a record in this state: legal, and permitted to this person; by verb, who may."""
    return [
        move
        for move in moves.allowed(status)
        if move.verb in permissions and request.may(permissions[move.verb])
    ]
