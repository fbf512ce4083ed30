"""`steward locations`."""

from steward_client.cli import find
from steward_client.cli.cells import Column, printable
from steward_client.cli.nouns import EXTERNAL_ID, SINCE, SORT, WORDS, Given, Noun, choices
from steward_client.models import LocationType

NOUN = Noun(
    name="locations",
    one="location",
    group="locations",
    find=find.location,
    metavar="LOCATION",
    said=lambda location: f"{location['id']} {printable(location['name'])}",
    columns=(
        Column("id", "id"),
        Column("name", "name", shrinks=True),
        Column("type", "type"),
        Column("code", "code"),
        Column("external id", "externalId", shrinks=True),
        Column("lies in", "parentId"),
    ),
)

locations = NOUN.commands(
    "Sites, buildings, floors and spaces, by id, externalId or code.",
    NOUN.list_command(
        Given(flag="--type", field="type", choices=choices(LocationType), several=True, help="Only these."),
        Given(flag="--in", field="parent_id", find=find.location, help="Only what lies directly in it."),
        Given(flag="--archived", field="archived", is_flag=True, help="Those that are archived."),
        EXTERNAL_ID,
        SINCE,
        WORDS,
        SORT,
    ),
    NOUN.show_command(),
)
