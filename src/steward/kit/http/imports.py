"""The route that takes a file of records; see `kit.records.csv_import`."""

from collections.abc import Awaitable
from typing import Any, Protocol

from steward.kit.domain.csv_rows import MAX_ROWS, ImportQuery, ImportReport
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, Route
from steward.kit.http.server.exchange import LARGE_BODY
from steward.kit.security.caller import Caller


class ImportVerb(Protocol):
    """Where the resource has a parent, it takes the parent's identifier after `who`."""

    def __call__(
        self, db: Any, who: Caller, /, *args: str, dry_run: bool, now: int
    ) -> Awaitable[ImportReport]: ...


def import_route(
    resource: Resource, action: Any, operation_id: str, plural: str, columns: str, example: str, **more: Any
) -> Route:
    """`columns` lists the columns in a sentence."""
    act: ImportVerb = action

    async def handler(call: Call[str, ImportQuery]) -> Response:
        within = () if resource.parent is None else (call.params[resource.parent.id_name],)
        report = await act(call.db, call.caller, *within, call.body, dry_run=call.query.dry_run, now=call.now)
        return plain(report)

    return Route(
        method="POST",
        path=f"{resource.path}/import",
        handler=handler,
        tag=resource.tag,
        operation_id=operation_id,
        summary=f"Import {plural}",
        description=f"Up to {MAX_ROWS:,} rows. {columns} A row that names a record that is there changes it: an empty cell "
        "clears, a column that isn't there stays. The columns of an export are all taken, and those that callers don't "
        "set are ignored. All rows are taken or none is; `dryRun` only tells what would happen and what is wrong.",
        permission=resource.write_permission,
        gives=ImportReport,
        shape="plain",
        takes="text/csv",
        max_body=LARGE_BODY,
        query=ImportQuery,
        example=ImportReport(dry_run=False, rows=1, created=1, changed=0, unchanged=0, errors=[]),
        body_example=example,
        **more,
    )
