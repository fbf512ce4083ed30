"""`steward visitors`."""

from steward_client.cli import find
from steward_client.cli.cells import Column, printable
from steward_client.cli.command import Moment
from steward_client.cli.nouns import EXTERNAL_ID, SORT, WORDS, Given, Noun, choices
from steward_client.models import VisitorStatus

NOUN = Noun(
    name="visitors",
    one="visitor",
    group="visitors",
    metavar="VISITOR",
    said=lambda visitor: f"{visitor['id']} {printable(visitor['name'] or 'erased')}: {visitor['status']}",
    columns=(
        Column("id", "id"),
        Column("name", "name", shrinks=True),
        Column("company", "company", shrinks=True),
        Column("status", "status"),
        Column("expected", "expectedArrival"),
        Column("in", "checkedInAt"),
        Column("out", "checkedOutAt"),
    ),
)

_LOCATION = Given(
    flag="--location", field="location_id", find=find.location, help="Where: id, externalId or code."
)
_HOST = Given(flag="--host", field="host_id", find=find.user, help="Whom they visit: id or e-mail address.")

visitors = NOUN.commands(
    "Who comes, who is here, who has left.",
    NOUN.list_command(
        Given(
            flag="--status",
            field="status",
            choices=choices(VisitorStatus),
            several=True,
            help="Only these; CheckedIn is who is on site.",
        ),
        Given(flag="--after", field="expected_after", type=Moment(), help="Expected later than this."),
        Given(flag="--before", field="expected_before", type=Moment(), help="Expected earlier than this."),
        _HOST,
        _LOCATION,
        EXTERNAL_ID,
        WORDS,
        SORT,
    ),
    NOUN.show_command(),
    NOUN.create_command(
        "name",
        Given(flag="--at", field="expected_arrival", type=Moment(), help="When they are to come."),
        _HOST,
        _LOCATION,
        Given(flag="--company", field="company", help="Whom they work for."),
        Given(flag="--email", field="email", help="Their e-mail address."),
        Given(flag="--phone", field="phone", help="Their telephone number."),
        Given(flag="--vehicle", field="vehicle", help="Their number plate."),
        Given(flag="--check-in", field="check_in", is_flag=True, help="They stand here already."),
        EXTERNAL_ID,
        name="expect",
        help="Register somebody who is to come.",
    ),
    NOUN.move_command("check-in", "They are here."),
    NOUN.move_command("check-out", "They have left."),
    NOUN.move_command("cancel", "They won't come."),
)
