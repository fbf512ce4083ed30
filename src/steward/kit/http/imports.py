"""The route that takes a file of records; see `kit.records.csv_import`."""

from collections.abc import Awaitable
from typing import Any, Protocol

from steward.kit.domain.csv_rows import MAX_ROWS, ImportQuery, ImportReport
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, Route
from steward.kit.http.server.exchange import LARGE_BODY
from steward.kit.records.context import Context


class ImportVerb(Protocol):
    def __call__(self, ctx: Context, text: str, /, *, dry_run: bool) -> Awaitable[ImportReport]: ...


def import_route(
    resource: Resource,
    action: ImportVerb,
    operation_id: str,
    plural: str,
    columns: str,
    example: str,
    **more: Any,
) -> Route:
    """`columns` lists the columns in a sentence."""

    async def handler(call: Call[str, ImportQuery]) -> Response:
        return plain(await action(resource.context(call), call.body, dry_run=call.query.dry_run))

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
