"""The pages of one kind of record: what a resource is to the API.

A slice shows one record; what its forms and buttons do comes from the same actions as in the API. Each leads back to the
record, or to where its address says (`?next=/app/…`); one that is refused shows the record with what is wrong.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlsplit

import msgspec

from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.http.verbs import ChangeVerb, CreateVerb, DeleteVerb, MoveVerb
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
        act = cast(Any, action)

        async def handler(request: PageRequest[Any, Any]) -> Outcome:
            return await submit(
                request,
                lambda body: act(request.db, request.caller, body, now=request.now),
                to=lambda made: self.lead_on(request, getattr(made, made.__struct_fields__[0])),
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
        return self._post(path, action, form, permission or self.write_permission, name)

    def move(
        self,
        verb: str,
        action: MoveVerb | ChangeVerb[B],
        *,
        form: type[B] | None = None,
        permission: Need | None = None,
    ) -> WebPage:
        """A button; with a form where it has to be told something, such as a reason."""
        return self._post(f"/{verb}", action, form, permission or self.write_permission, verb)

    def archiving(self, archive: MoveVerb, restore: MoveVerb) -> tuple[WebPage, WebPage]:
        """The two buttons for what has a past."""
        return self.move("archive", archive), self.move("restore", restore)

    def delete(self, action: DeleteVerb, *, to: str | None = None) -> WebPage:
        act = cast(Any, action)

        async def handler(request: PageRequest[Any, Any]) -> Outcome:
            return await submit(
                request,
                lambda _: act(
                    request.db,
                    request.caller,
                    request.params[self.id_name],
                    precondition=UNCONDITIONAL,
                    now=request.now,
                ),
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

    def lead_on(self, request: PageRequest[Any, Any], id: str) -> Redirect:
        """Where somebody is led after a form did its work; not everybody may see the record."""
        if address := next_path(request):
            return Redirect(address)
        return Redirect(f"{self.path}/{id}" if request.may(self.read_permission) else HOME)

    async def _again(self, request: PageRequest[Any, Any], status: int) -> View:
        """Not everybody who may act on a record may see it: they are told what is wrong, and shown nothing."""
        if not request.may(self.read_permission):
            raise request.form.refusal()
        return await self.show(request, status)

    def _post(self, path: str, action: object, form: type[B] | None, permission: Need, name: str) -> WebPage:
        act = cast(Any, action)

        async def handler(request: PageRequest[Any, Any]) -> Outcome:
            id = request.params[self.id_name]

            async def run(content: Any) -> None:
                body = () if form is None else (content,)
                await act(
                    request.db,
                    request.caller,
                    id,
                    *body,
                    precondition=expected_version(request),
                    now=request.now,
                )

            return await submit(
                request,
                run,
                to=lambda _: self.lead_on(request, id),
                again=lambda status: self._again(request, status),
                name=name,
            )

        return WebPage(
            method="POST", path=f"{self.one}{path}", handler=handler, permission=permission, form=form
        )


def expected_version(request: PageRequest[Any, Any]) -> Precondition:
    """The version that somebody saw when they filled in the form, where its address tells."""
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
    request: PageRequest[Any, Any], moves: Moves, status: str, permissions: Mapping[str, Need]
) -> list[Any]:
    """The buttons for a record in this state: legal, and permitted to this person; by verb, who may."""
    return [
        move
        for move in moves.allowed(status)
        if move.verb in permissions and request.may(permissions[move.verb])
    ]
