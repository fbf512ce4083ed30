from steward.forms import actions, queries
from steward.forms.model import EXAMPLE, READS, FormChanges, FormQuery, FormVersion, NewForm
from steward.kit.domain.problems import NotFound
from steward.kit.http.own_records import Narrow
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery
from steward.kit.security.permissions import Permission

_MAX_VERSION_DIGITS = 9
_PUBLISHED_ONLY = f"With `{READS.narrower}` alone only published forms are there, and `fields` are those of the published version."

FORMS = Resource(
    path="/organizations/{orgId}/forms",
    example=EXAMPLE,
    table=queries.FORMS,
    listing=queries.LISTING,
    query=FormQuery,
    narrow=Narrow(queries.PUBLISHED, queries.PUBLISHED_LISTING),
    read_permission=READS,
    write_permission=Permission.FORMS_WRITE,
)


async def read_version(call: Call[NoBody, NoQuery]) -> Response:
    number = call.params["version"]
    found = None
    if number.isascii() and number.isdigit() and len(number) <= _MAX_VERSION_DIGITS:
        found = await queries.get_version(call.db, call.caller.tenant, call.params["formId"], int(number))
    if found is None:
        raise NotFound("There is no such version of the form.")
    return one(found)


ROUTES = (
    FORMS.list(description=_PUBLISHED_ONLY),
    *FORMS.exports(),
    FORMS.create(
        actions.create,
        NewForm,
        description="As a draft: it takes no answers before it is published.",
        body_example={
            "name": "Fire exit round",
            "fields": [{"key": "exit", "label": "The exit is clear", "type": "passFail", "required": True}],
        },
    ),
    FORMS.read(description=_PUBLISHED_ONLY),
    FORMS.change(
        actions.change,
        FormChanges,
        description="Changed fields are the draft of the next version. A published form stays published, and its "
        "published version stays what it was, until the next publication.",
        body_example={"description": "Every Monday, on every floor."},
        refusals={409: "The form is archived."},
    ),
    FORMS.delete(actions.delete, refusals={409: "It has submissions; archive it instead."}),
    FORMS.move(
        "publish",
        actions.publish,
        description="Freezes the fields as the next version (1, 2, …), which submissions have to fit from then on.",
        refusals={409: "Archived, or without a field that takes an answer."},
    ),
    FORMS.move(
        "archive",
        actions.archive,
        description="For good: the form and its submissions can still be read, but neither changed nor added to.",
    ),
    FORMS.route(
        "GET",
        f"{FORMS.item}/versions/{{version}}",
        handler=read_version,
        summary="Read a version of a form",
        description="What the form asked when this version was published.",
        gives=FormVersion,
        example=FormVersion(EXAMPLE.id, 1, EXAMPLE.fields, "usr_00064a1b2c3d4e5f60718293a4b5", 1767225600),
    ),
)
