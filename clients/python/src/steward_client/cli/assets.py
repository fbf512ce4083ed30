"""`steward assets`."""

from steward_client.cli import find
from steward_client.cli.cells import Column, printable
from steward_client.cli.command import Span
from steward_client.cli.nouns import EXTERNAL_ID, SINCE, SORT, WORDS, Given, Noun, choices
from steward_client.models import AssetStatus

NOUN = Noun(
    name="assets",
    one="asset",
    group="assets",
    find=find.asset,
    metavar="ASSET",
    said=lambda asset: f"{asset['id']} {printable(asset['name'])}",
    columns=(
        Column("id", "id"),
        Column("name", "name", shrinks=True),
        Column("status", "status"),
        Column("online", "isOnline"),
        Column("external id", "externalId", shrinks=True),
        Column("last seen", "lastSeen"),
    ),
)

_NAME = Given(flag="--name", field="name", help="What people call it.")
_TYPE = Given(flag="--type", field="asset_type_id", help="The id of its asset type.")
_LOCATION = Given(
    flag="--location", field="location_id", find=find.location, help="Where it is: id, externalId or code."
)
_DESCRIPTION = Given(flag="--description", field="description", help="What there is to know.")
_KEEP_ALIVE = Given(
    flag="--keep-alive",
    field="keep_alive",
    type=Span(),
    help="Offline after so long without a reading: 15m, 1d.",
)

assets = NOUN.commands(
    "Assets and devices, by id or externalId.",
    NOUN.list_command(
        Given(
            flag="--status", field="status", choices=choices(AssetStatus), several=True, help="Only these."
        ),
        Given(flag="--type", field="asset_type_id", several=True, help="Only of this asset type."),
        _LOCATION,
        Given(
            flag="--below",
            field="include_descendants",
            is_flag=True,
            help="With --location: also what lies in it.",
        ),
        Given(flag="--archived", field="archived", is_flag=True, help="Those that are archived."),
        EXTERNAL_ID,
        SINCE,
        WORDS,
        SORT,
    ),
    NOUN.show_command(),
    NOUN.create_command(
        "name",
        Given(flag="--type", field="asset_type_id", required=True, help="The id of its asset type."),
        _LOCATION,
        _DESCRIPTION,
        EXTERNAL_ID,
        _KEEP_ALIVE,
    ),
    NOUN.update_command(_NAME, _TYPE, _LOCATION, _DESCRIPTION, EXTERNAL_ID, _KEEP_ALIVE),
    NOUN.move_command("archive", "Take it out of use; its history stays."),
    NOUN.move_command("restore", "Take it into use again."),
)
