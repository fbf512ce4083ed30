from steward.asset_types import actions, queries
from steward.asset_types.model import EXAMPLE, AssetTypeChanges, AssetTypeQuery, NewAssetType
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery
from steward.kit.records import records
from steward.kit.security.permissions import Permission

# Types change seldom and are read with every displayed reading.
_CACHED = ("cache-control", "private, max-age=300")


async def read(call: Call[NoBody, NoQuery]) -> Response:
    id = call.params["assetTypeId"]
    found = await records.get(call.db, queries.ASSET_TYPES, call.caller.tenant, id)
    return one(found, headers=[_CACHED], request_id=call.request_id)


_ASSET_TYPES = Resource(
    path="/v2/organizations/{orgId}/asset-types",
    example=EXAMPLE,
    table=queries.ASSET_TYPES,
    listing=queries.LISTING,
    query=AssetTypeQuery,
    read_permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
)
_NAME_TAKEN = {409: "An asset type with this name exists already."}

ROUTES = (
    _ASSET_TYPES.list(),
    *_ASSET_TYPES.exports(),
    _ASSET_TYPES.create(
        actions.create,
        NewAssetType,
        body_example={
            "name": "Boiler",
            "isIotDevice": True,
            "keepAlive": 3600,
            "properties": [{"key": "FlowTemperature", "name": "Flow", "type": "float", "unit": "°C"}],
        },
        refusals=_NAME_TAKEN,
    ),
    _ASSET_TYPES.read(
        handler=read, description="May be kept for five minutes, and asked for again with If-None-Match."
    ),
    _ASSET_TYPES.change(
        actions.change, AssetTypeChanges, body_example={"keepAlive": 7200}, refusals=_NAME_TAKEN
    ),
    _ASSET_TYPES.delete(actions.delete, refusals={409: "There are still assets of this type."}),
)
