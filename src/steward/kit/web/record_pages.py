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
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit

B = TypeVar("B", bound=msgspec.Struct)
Show = Callable[[PageRequest[Any, Any], int], Awaitable[View]]
HOME = "/app"
_IN_ADDRESSES = "/?#[]@!$&'()*+,;=:%~"


class RecordPages(msgspec.Struct, frozen=True, kw_only=True):
    """`show` makes the page of the record that the path names, with a status; `show_new` the one of the form for a new one."""

    path: str
    id_name: str
    read_permission: Need
    write_permission: Need
    show: Show
    show_new: Show | None = None
    # Who may make one, where that isn't who may write.
    create_permission: Need | None = None

    def read(self) -> WebPage:
        async def handler(request: PageRequest[Any, Any]) -> View:
            return await self.show(request, 200)

        return WebPage(method="GET", path=self.one, handler=handler, permission=self.read_permission)

    def new(self) -> WebPage:
        """The form for a new one, at an address of its own."""

        async def handler(request: PageRequest[Any, Any]) -> View:
            return await cast(Show, self.show_new)(request, 200)

        return WebPage(method="GET", path=f"{self.path}/new", handler=handler, permission=self._creates)

    def create(self, action: CreateVerb[B], *, form: type[B]) -> WebPage:
        async def handler(request: PageRequest[Any, Any]) -> Outcome:
            return await submit(
                request,
                lambda body: action(request.context, body),
                to=lambda made: self.redirect_after(request, getattr(made, made.__struct_fields__[0])),
                again=lambda status: cast(Show, self.show_new)(request, status),
                name="new",
            )

        return WebPage(method="POST", path=self.path, handler=handler, permission=self._creates, form=form)

    def change(
        self,
        action: ChangeVerb[B],
        *,
        form: type[B],
        name: str = "change",
        path: str = "",
        permission: Need | None = None,
    ) -> WebPage:
        """A form that changes the record. Several of them on a page have different names and paths."""
        return self._post(name, action, permission, path=path, form=form)

    def move(
        self,
        verb: str,
        action: MoveVerb,
        *,
        permission: Need | None = None,
    ) -> WebPage:
        """A button."""
        return self._post(verb, lambda ctx, _: action(ctx), permission, path=f"/{verb}")

    def move_with(
        self,
        verb: str,
        action: ChangeVerb[B],
        *,
        form: type[B],
        permission: Need | None = None,
    ) -> WebPage:
        """A button with a form, such as for a reason."""
        return self._post(verb, action, permission, path=f"/{verb}", form=form)

    def archiving(self, archive: MoveVerb, restore: MoveVerb) -> tuple[WebPage, WebPage]:
        """The two buttons for what has a past."""
        return self.move("archive", archive), self.move("restore", restore)

    def delete(self, action: MoveVerb, *, to: str | None = None) -> WebPage:
        async def handler(request: PageRequest[Any, Any]) -> Outcome:
            return await submit(
                request,
                lambda _: action(request.context.on(request.params[self.id_name])),
                to=lambda _: Redirect(next_path(request) or to or self.path),
                again=lambda status: self._again(request, status),
                name="delete",
            )

        return WebPage(
            method="POST", path=f"{self.one}/delete", handler=handler, permission=self.write_permission
        )

    @property
    def _creates(self) -> Need:
        return self.create_permission or self.write_permission

    @property
    def one(self) -> str:
        return f"{self.path}/{{{self.id_name}}}"

    def redirect_after(self, request: PageRequest[Any, Any], id: str) -> Redirect:
        """Where the browser goes after a form succeeded: not everybody may see the record."""
        if address := next_path(request):
            return Redirect(address)
        return Redirect(f"{self.path}/{id}" if request.may(self.read_permission) else HOME)

    async def _again(self, request: PageRequest[Any, Any], status: int) -> View:
        """Callers who may act on a record without seeing it get the error alone."""
        if not request.may(self.read_permission):
            raise request.form.refusal()
        return await self.show(request, status)

    def target(self, request: PageRequest[Any, Any]) -> Target:
        return request.context.on(request.params[self.id_name], expected_version(request))

    def _post(
        self,
        name: str,
        action: Callable[[Target, Any], Awaitable[Any]],
        permission: Need | None,
        *,
        path: str,
        form: type[B] | None = None,
    ) -> WebPage:
        async def handler(request: PageRequest[Any, Any]) -> Outcome:
            target = self.target(request)
            return await submit(
                request,
                lambda content: action(target, content),
                to=lambda _: self.redirect_after(request, target.id),
                again=lambda status: self._again(request, status),
                name=name,
            )

        return WebPage(
            method="POST",
            path=f"{self.one}{path}",
            handler=handler,
            permission=permission or self.write_permission,
            form=form,
        )


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
