"""`steward alerts`."""

from steward_client.cli import find
from steward_client.cli.cells import Column
from steward_client.cli.nouns import SORT, Given, Noun, choices
from steward_client.models import AlertStatus, Severity

NOUN = Noun(
    name="alerts",
    one="alert",
    group="alerts",
    metavar="ALERT",
    said=lambda alert: f"{alert['id']}: {alert['status']}",
    columns=(
        Column("id", "id"),
        Column("severity", "severity"),
        Column("status", "status"),
        Column("property", "property", shrinks=True),
        Column("value", "value"),
        Column("times", "count"),
        Column("last seen", "lastSeen"),
        Column("asset", "assetId"),
    ),
)

alerts = NOUN.commands(
    "What the rules noticed.",
    NOUN.list_command(
        Given(
            flag="--status", field="status", choices=choices(AlertStatus), several=True, help="Only these."
        ),
        Given(
            flag="--severity", field="severity", choices=choices(Severity), several=True, help="Only these."
        ),
        Given(flag="--asset", field="asset_id", find=find.asset, help="Of this asset: id or externalId."),
        SORT,
    ),
    NOUN.show_command(),
    NOUN.move_command("acknowledge", "Say that somebody takes care of it."),
)
