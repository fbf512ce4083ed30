"""Records from a CSV file: a dry run first, then the import, part by part where the browser can show how far it has come."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.kit.domain.csv_rows import ImportReport
from steward.kit.domain.fields import Body
from steward.kit.domain.problems import Invalid
from steward.kit.http.server.exchange import MAXIMUM_BODY
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit

_PART = 1000
_SHOWN_ERRORS = 100
# Each step sends the file again, with CRLF line ends, plus some fields and multipart boundaries.
_BESIDE = 4096

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]


class ImportFile(Body, frozen=True):
    file: Text


class ImportStep(Body, frozen=True):
    """`first` is the next row, `total` the number of rows that the dry run counted."""

    file: Text
    first: Count = 0
    total: Count = 0


_NO_STEP = ImportStep(file="-")


async def _nothing_more(_request: PageRequest[Any, Any]) -> dict[str, Any]:
    return {}


class ImportPages(msgspec.Struct, frozen=True, kw_only=True):
    """Below the `path` of a list. `about` is a template that says what a file looks like, with what `values` gives it.

    An `action` that imports `in_parts` takes `first` and `count`, too.
    """

    path: str
    noun: str
    plural: str
    permission: Permission
    action: Callable[..., Awaitable[ImportReport]]
    about: str
    values: Callable[[PageRequest[Any, Any]], Awaitable[dict[str, Any]]] = _nothing_more
    in_parts: bool = False

    def pages(self) -> tuple[WebPage, ...]:
        path = f"{self.path}/import"
        more: dict[str, Any] = {"permission": self.permission}
        return (
            WebPage(method="GET", path=path, handler=self._form, **more),
            WebPage(method="POST", path=path, handler=self._check, form=ImportFile, upload=True, **more),
            WebPage(
                method="POST", path=f"{path}/run", handler=self._run, form=ImportStep, upload=True, **more
            ),
        )

    async def _form(self, request: PageRequest[Any, Any], status: int = 200) -> View:
        values = {**self._words, "form": request.form, "about": self.about, **await self.values(request)}
        return View("web/import.html", values, status)

    async def _check(self, request: PageRequest[ImportFile, Any]) -> View:
        """The dry run: saves nothing and lists all errors."""
        form = request.form
        if form.content is None:
            return await self._form(request, 422)
        text = form.content.file
        if (size := len(text.encode()) + text.count("\n") + _BESIDE) > MAXIMUM_BODY:
            form.errors["file"] = f"This file is {size // 1024} KB long; send it in parts of at most 1000 KB."
            return await self._form(request, 422)
        try:
            report = await self.action(request.context, text, dry_run=True)
        except Invalid as problem:
            form.errors["file"] = " ".join(f"{one.field} {one.message}".strip() for one in problem.details)
            return await self._form(request, 422)
        values = {**self._words, **_checked(text, report)}
        return View("web/import_checked.html", values, 422 if report.errors else 200)

    async def _run(self, request: PageRequest[ImportStep, Any]) -> View | Redirect:
        """Imports all remaining rows, or with `?part=yes` the next part, whose answer requests the one after it."""
        count = _PART if self.in_parts and "part" in request.arguments else None

        async def import_part(step: ImportStep) -> ImportReport:
            part = {"first": step.first, "count": count} if self.in_parts else {}
            return await self.action(request.context, step.file, dry_run=False, **part)

        def progress(step: ImportStep, rows: int, status: int) -> View:
            done = step.first + rows
            values = {
                **self._words,
                "file": step.file,
                "done": done,
                "total": max(step.total, done),
                "finished": status == 200 and (count is None or rows < count),
                "form": request.form,
            }
            fragments = {"import": "web/import_step.html"}
            return View("web/import_running.html", values, status, fragments=fragments)

        async def again(status: int) -> View:
            step = request.form.content
            return await self._form(request, status) if step is None else progress(step, 0, status)

        return await submit(
            request,
            import_part,
            to=lambda report: progress(request.form.content or _NO_STEP, report.rows, 200),
            again=again,
        )

    @property
    def _words(self) -> dict[str, Any]:
        return {"path": self.path, "noun": self.noun, "plural": self.plural, "in_parts": self.in_parts}


def _checked(text: str, report: ImportReport) -> dict[str, Any]:
    wrong_lines = {error.line for error in report.errors}
    return {
        "file": text,
        "rows": report.rows,
        "report": report,
        "wrong": len(wrong_lines),
        "errors": report.errors[:_SHOWN_ERRORS],
        "more_errors": max(0, len(report.errors) - _SHOWN_ERRORS),
    }
