from steward.assets import actions, queries
from steward.assets.model import EXAMPLE, Asset, AssetChanges, AssetQuery, NewAsset
from steward.kit.domain.csv_rows import ImportQuery, ImportReport
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, plain
from steward.kit.http.route import Call, Route
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission

_ASSETS = Resource(
    tag="Assets",
    path="/organizations/{orgId}/assets",
    id_name="assetId",
    gives=Asset,
    example=EXAMPLE,
    table=queries.ASSETS,
    listing=queries.LISTING,
    read_permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
)
_EXTERNAL_ID_TAKEN = {409: "An asset with this externalId exists already."}
_CSV_EXAMPLE = (
    "name,assetTypeId,externalId,metadata.serialNumber\r\n"
    "Climate sensor 2.14,aty_00064a1b2c3d4e5f60718293a4b5,BMS-0042,6136A02D\r\n"
)


async def import_csv(call: Call[str, ImportQuery]) -> Response:
    dry_run = call.query.dry_run
    return plain(await actions.import_assets(call.db, call.caller, call.body, dry_run=dry_run, now=call.now))


_ROUTES: tuple[Route, ...] = (
    _ASSETS.list("listAssets", "List assets", query=AssetQuery),
    *_ASSETS.exports("exportAssets", "assets", query=AssetQuery),
    _ASSETS.create(
        actions.create,
        "createAsset",
        "Create an asset",
        body=NewAsset,
        body_example={
            "name": "Climate sensor 2.14",
            "assetTypeId": "aty_00064a1b2c3d4e5f60718293a4b5",
            "externalId": "BMS-0042",
            "metadata": {"manufacturer": "Milesight", "serialNumber": "6136A02D"},
        },
        refusals=_EXTERNAL_ID_TAKEN,
    ),
    Route(
        method="POST",
        path="/organizations/{orgId}/assets/import",
        handler=import_csv,
        tag="Assets",
        summary="Import assets",
        operation_id="importAssets",
        permission=Permission.ASSETS_WRITE,
        gives=ImportReport,
        shape="plain",
        takes="text/csv",
        query=ImportQuery,
        description="Columns are named like the fields of an asset, `metadata.serialNumber` and the like reach into "
        "its metadata. All rows become assets or none does; `dryRun` only tells what is wrong.",
        refusals=_EXTERNAL_ID_TAKEN,
        example=ImportReport(dry_run=False, rows=1, created=1, errors=[]),
        body_example=_CSV_EXAMPLE,
    ),
    _ASSETS.read("readAsset", "Read an asset"),
    _ASSETS.change(
        actions.change,
        "changeAsset",
        "Change an asset",
        body=AssetChanges,
        body_example={"locationId": "loc_00064a1b2c3d4e5f60718293a4b5"},
        refusals=_EXTERNAL_ID_TAKEN,
    ),
    _ASSETS.delete(
        actions.delete,
        "deleteAsset",
        "Delete an asset",
        refusals={409: "Something still names it; the message says what."},
    ),
)

ROUTES = synced(_ASSETS, _ROUTES, "an asset", "assets", replacement=actions.replacement)
