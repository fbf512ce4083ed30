from steward.forms import actions, queries
from steward.forms.model import (
    EXAMPLE,
    READS,
    Form,
    FormChanges,
    FormQuery,
    FormVersion,
    NewForm,
)
from steward.kit.domain.problems import NotFound
from steward.kit.http.own_records import Narrow
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.permissions import Permission

_MAX_VERSION_DIGITS = 9
_PUBLISHED_ONLY = f"With `{READS.narrower}` alone only published forms are there, and `fields` are those of the published version."

FORMS = Resource(
    tag="Forms",
    path="/organizations/{orgId}/forms",
    id_name="formId",
    gives=Form,
    example=EXAMPLE,
    table=queries.FORMS,
    listing=queries.LISTING,
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


ROUTES: tuple[Route, ...] = (
    FORMS.list("listForms", "List forms", description=_PUBLISHED_ONLY, query=FormQuery),
    *FORMS.exports("exportForms", "forms", query=FormQuery),
    FORMS.create(
        actions.create,
        "createForm",
        "Create a form",
        description="As a draft: it takes no answers before it is published.",
        body=NewForm,
        body_example={
            "name": "Fire exit round",
            "fields": [{"key": "exit", "label": "The exit is clear", "type": "passFail", "required": True}],
        },
    ),
    FORMS.read("readForm", "Read a form", description=_PUBLISHED_ONLY),
    FORMS.change(
        actions.change,
        "changeForm",
        "Change a form",
        description="Changed fields are the draft of the next version. A published form stays published, and its "
        "published version stays what it was, until the next publication.",
        body=FormChanges,
        body_example={"description": "Every Monday, on every floor."},
        refusals={409: "The form is archived."},
    ),
    FORMS.delete(
        actions.delete,
        "deleteForm",
        "Delete a form",
        refusals={409: "It has submissions; archive it instead."},
    ),
    FORMS.move(
        "publish",
        actions.publish,
        "publishForm",
        "Publish a form",
        description="Freezes the fields as the next version (1, 2, …), which submissions have to fit from then on.",
        refusals={409: "Archived, or without a field that takes an answer."},
    ),
    FORMS.move(
        "archive",
        actions.archive,
        "archiveForm",
        "Archive a form",
        description="For good: the form and its submissions can still be read, but neither changed nor added to.",
    ),
    Route(
        method="GET",
        path=f"{FORMS.path}/{{formId}}/versions/{{version}}",
        handler=read_version,
        tag="Forms",
        summary="Read a version of a form",
        operation_id="readVersionOfForm",
        description="What the form asked when this version was published.",
        permission=READS,
        gives=FormVersion,
        example=FormVersion(EXAMPLE.id, 1, EXAMPLE.fields, "usr_00064a1b2c3d4e5f60718293a4b5", 1767225600),
    ),
)
