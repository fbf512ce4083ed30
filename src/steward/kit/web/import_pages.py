"""Records from a CSV file: a dry run first, then the import, part by part where the browser can show how far it has come."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.kit.db.lookup import Found
from steward.kit.domain.csv_rows import ImportReport, RowError
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


async def _no_choices(_request: PageRequest[Any, Any]) -> list[Found]:
    return []


class ImportPages(msgspec.Struct, frozen=True, kw_only=True):
    """Below the `path` of a list. `about` is a template that says what a file looks like; `choices` are what it lists.

    An `action` that imports `in_parts` takes `first` and `count`, too.
    """

    path: str
    noun: str
    plural: str
    permission: Permission
    action: Callable[..., Awaitable[ImportReport]]
    about: str
    choices: Callable[[PageRequest[Any, Any]], Awaitable[list[Found]]] = _no_choices
    in_parts: bool = False

    def pages(self) -> tuple[WebPage, ...]:
        path = f"{self.path}/import"
        return (
            WebPage("GET", path, self._form, self.permission),
            WebPage("POST", path, self._check, self.permission, form=ImportFile, upload=True),
            WebPage("POST", f"{path}/run", self._run, self.permission, form=ImportStep, upload=True),
        )

    async def _form(self, request: PageRequest[Any, Any], status: int = 200) -> View:
        return View("web/import.html", ImportStart(self, self.about, await self.choices(request)), status)

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
        wrong = len({error.line for error in report.errors})
        shown, more = report.errors[:_SHOWN_ERRORS], max(0, len(report.errors) - _SHOWN_ERRORS)
        page = CheckedImport(self, text, report, wrong, shown, more)
        return View("web/import_checked.html", page, 422 if report.errors else 200)

    async def _run(self, request: PageRequest[ImportStep, Any]) -> View | Redirect:
        """Imports all remaining rows, or with `?part=yes` the next part, whose answer requests the one after it."""
        count = _PART if self.in_parts and "part" in request.arguments else None

        async def import_part(step: ImportStep) -> ImportReport:
            part = {"first": step.first, "count": count} if self.in_parts else {}
            return await self.action(request.context, step.file, dry_run=False, **part)

        def progress(step: ImportStep, rows: int, status: int) -> View:
            done = step.first + rows
            finished = status == 200 and (count is None or rows < count)
            page = ImportProgress(self, step.file, done, max(step.total, done), finished)
            fragments = {"import": "web/import_step.html"}
            return View("web/import_running.html", page, status, fragments=fragments)

        async def again(status: int) -> View:
            step = request.form.content
            return await self._form(request, status) if step is None else progress(step, 0, status)

        return await submit(
            request,
            import_part,
            to=lambda report: progress(request.form.content or _NO_STEP, report.rows, 200),
            again=again,
        )


class ImportStart(msgspec.Struct, frozen=True):
    imports: ImportPages
    about: str
    choices: list[Found]


class CheckedImport(msgspec.Struct, frozen=True):
    """What the dry run found: how many lines are wrong, and the first of their errors."""

    imports: ImportPages
    file: str
    report: ImportReport
    wrong: int
    errors: list[RowError]
    more_errors: int


class ImportProgress(msgspec.Struct, frozen=True):
    imports: ImportPages
    file: str
    done: int
    total: int
    finished: bool
