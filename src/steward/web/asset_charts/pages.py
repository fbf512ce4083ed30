from typing import Any

from steward.assets.queries import ASSETS
from steward.kit.domain.problems import Invalid
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, WebPage
from steward.kit.web.time_range import time_range
from steward.telemetry.actions import read_history
from steward.telemetry.model import HistoryQuery
from steward.web.asset_charts import queries
from steward.web.asset_charts.rules import chart

PATH = "/app/assets/{assetId}/chart.json"
_POINTS = 500


async def show(request: PageRequest[Any, Any]) -> Response:
    """One key of an asset: `?key=Temperature&range=7d`."""
    db, tenant = request.db, request.caller.tenant
    key = request.arguments.get("key", "")
    if not key or "," in key:
        raise Invalid("key", "must be one key")
    shown = time_range(request.arguments, request.zone, request.now)
    found = await records.get(db, ASSETS, tenant, request.params["assetId"])
    asked = HistoryQuery(key=key, from_=shown.start, to=shown.end, resolution=_POINTS)
    history = await read_history(db, tenant, found.id, asked, request.now)
    drawn = chart(
        history,
        await queries.watching_rules(db, tenant, found.id, found.asset_type_id),
        await queries.raised_alerts(db, tenant, found.id, shown.start, shown.end),
        silence=found.keep_alive or 0,
    )
    return Response(200, encode(drawn), [JSON, NOT_KEPT])


PAGES = (WebPage("GET", PATH, show, Permission.IOT_READ, from_replica=True),)
