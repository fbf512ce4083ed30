from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, NoBody, Route
from steward.kit.security.permissions import Permission
from steward.telemetry import actions
from steward.telemetry.model import EXAMPLE, History, HistoryQuery


async def read(call: Call[NoBody, HistoryQuery]) -> Response:
    asset_id = call.params["assetId"]
    return plain(await actions.read_history(call.db, call.caller.tenant, asset_id, call.query, call.now))


ROUTES: tuple[Route, ...] = (
    Route(
        method="GET",
        path="/organizations/{orgId}/assets/{assetId}/telemetry",
        handler=read,
        tag="Telemetry",
        summary="Read the history of an asset",
        description="Readings in `[from, to)`, each second counted once. Where there are more than was asked for, those of "
        "a bucket of time become one point with their least, greatest and average value, and the time of the first of them.",
        permission=Permission.IOT_READ,
        query=HistoryQuery,
        gives=History,
        shape="plain",
        from_replica=True,
        example=EXAMPLE,
    ),
)
