from collections.abc import AsyncGenerator
from functools import partial

import msgspec

from steward.kit.db.listing import Page
from steward.kit.http.export import CSV, FORMATS, ExportFormat, stream_pages
from steward.kit.http.response import Response, StreamingResponse, page
from steward.kit.http.route import Call, NoBody, Route
from steward.kit.security.permissions import Permission
from steward.telemetry.raw import actions
from steward.telemetry.raw.model import EXAMPLE, RawExportQuery, RawQuery, RawReading
from steward.telemetry.raw.rules import CSV_HEAD, csv_lines, ndjson_lines, raw_span, requested


async def read(call: Call[NoBody, RawQuery]) -> Response:
    asset_id, query, tenant = call.params["assetId"], call.query, call.caller.tenant
    span = raw_span(query.from_, query.to, call.now)
    wanted = requested(query.key)
    listing, filters = f"readings of {asset_id}", query.filters()
    if query.last_evaluated_key is not None:
        last = call.cursors.open(tenant, listing, filters, query.last_evaluated_key)
        span = span._replace(start=max(span.start, int(last) + 1))
    found, more = await actions.readings(call.db, tenant, asset_id, span, wanted, query.limit, now=call.now)
    cursor = call.cursors.seal(tenant, listing, filters, str(found[-1].timestamp)) if more else None
    return page(Page([msgspec.json.encode(one).decode() for one in found], cursor))


async def export(form: ExportFormat, call: Call[NoBody, RawExportQuery]) -> StreamingResponse:
    lines, head = (csv_lines, CSV_HEAD) if form is CSV else (ndjson_lines, b"")
    pieces = actions.export(call.db, call.caller.tenant, call.query, lines, now=call.now)
    return await stream_pages(_with_head(head, pieces), call.caller.tenant, form.media_type)


async def _with_head(head: bytes, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    async for piece in pieces:
        yield head + piece
        head = b""


_LINES = {
    "csv": "A line for each value: `assetId,timestamp,key,value`.",
    "ndjson": 'A line for each reading: `{"assetId", "timestamp", "values": {…}}`.',
}

ROUTES: tuple[Route, ...] = (
    Route(
        method="GET",
        path="/organizations/{orgId}/assets/{assetId}/telemetry/raw",
        handler=read,
        tag="Telemetry",
        summary="List the readings of an asset",
        description="Every reading in `[from, to)` as it was stored, oldest first, each second once. Booleans are 1 and 0.",
        permission=Permission.IOT_READ,
        query=RawQuery,
        gives=RawReading,
        shape="page",
        from_replica=True,
        example=EXAMPLE,
    ),
    *(
        Route(
            method="GET",
            path=f"/organizations/{{orgId}}/telemetry.{form.suffix}",
            handler=partial(export, form),
            tag="Telemetry",
            summary=f"Export readings as {form.title}",
            description="Every reading in `[from, to)` of all assets, or of those that are chosen, by asset and then by time. "
            f"{_LINES[form.suffix]} Booleans are 1 and 0. A stream that breaks off is taken up again with `resumeAt`; "
            "`arrivedFrom` brings a copy up to date, late readings included. A value is named by asset, time and key: one that "
            "comes again replaces itself.",
            permission=Permission.IOT_READ,
            query=RawExportQuery,
            gives=RawReading,
            shape="stream",
            from_replica=True,
            media_type=form.media_type,
        )
        for form in FORMATS
    ),
)
