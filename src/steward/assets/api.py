from steward.assets import actions, queries
from steward.assets.imports.actions import import_assets
from steward.assets.model import EXAMPLE, Asset, AssetChanges, AssetQuery, NewAsset
from steward.kit.http.archiving import archive_routes
from steward.kit.http.imports import import_route
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
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
    import_route(
        _ASSETS,
        import_assets,
        "importAssets",
        "assets",
        "Columns are named like the fields of an asset, `metadata.serialNumber` and the like reach into its metadata; `id` or "
        "`externalId` names an asset that is there.",
        _CSV_EXAMPLE,
        refusals=_EXTERNAL_ID_TAKEN,
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
        refusals={409: "Something still names it; the message says what. Archive it instead."},
    ),
    *archive_routes(
        _ASSETS,
        "an asset",
        actions.ARCHIVING.archive,
        actions.ARCHIVING.restore,
        archives="What it reports is recorded and judged as before.",
    ),
)

ROUTES = synced(_ASSETS, _ROUTES, "an asset", "assets", replacement=actions.replacement)
