from steward.assets import actions, queries
from steward.assets.imports.actions import import_assets
from steward.assets.model import EXAMPLE, AssetChanges, AssetQuery, NewAsset
from steward.kit.http.resource import Resource
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission

ASSETS = Resource(
    path="/organizations/{orgId}/assets",
    example=EXAMPLE,
    table=queries.ASSETS,
    listing=queries.LISTING,
    query=AssetQuery,
    read_permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
)
_EXTERNAL_ID_TAKEN = {409: "An asset with this externalId exists already."}
_CSV_EXAMPLE = (
    "name,assetTypeId,externalId,metadata.serialNumber\r\n"
    "Climate sensor 2.14,aty_00064a1b2c3d4e5f60718293a4b5,BMS-0042,6136A02D\r\n"
)

ROUTES = synced(
    ASSETS,
    *ASSETS.reads(),
    ASSETS.create(
        actions.create,
        NewAsset,
        body_example={
            "name": "Climate sensor 2.14",
            "assetTypeId": "aty_00064a1b2c3d4e5f60718293a4b5",
            "externalId": "BMS-0042",
            "metadata": {"manufacturer": "Milesight", "serialNumber": "6136A02D"},
        },
        refusals=_EXTERNAL_ID_TAKEN,
    ),
    ASSETS.import_csv(
        import_assets,
        "Columns are named like the fields of an asset, `metadata.serialNumber` and the like reach into its metadata; `id` or "
        "`externalId` names an asset that is there.",
        _CSV_EXAMPLE,
        refusals=_EXTERNAL_ID_TAKEN,
    ),
    ASSETS.change(
        actions.change,
        AssetChanges,
        body_example={"locationId": "loc_00064a1b2c3d4e5f60718293a4b5"},
        refusals=_EXTERNAL_ID_TAKEN,
    ),
    ASSETS.delete(
        actions.delete,
        refusals={409: "Something still names it; the message says what. Archive it instead."},
    ),
    *ASSETS.archiving(
        actions.ARCHIVING.archive,
        actions.ARCHIVING.restore,
        archives="What it reports is recorded and judged as before.",
    ),
    replacement=actions.replacement,
)
