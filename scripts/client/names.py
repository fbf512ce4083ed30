"""What things of the document are called in Python: rules as data, and a table of exceptions."""

import keyword
import re

# Where a group's own records are if not under its name; what lies below is named from there.
ROOTS = {
    "Bookable resources": "/resources",
    "Commands": "/assets/{}/commands",
    "Organizations": "",
    "Quotations": "/sor/quotations",
    "Schedules of rates": "/sor/schedules",
    "Tokens (deprecated)": "/authentications/tokens",
}
# Records within records: the word for many of them, and for one.
NOUNS = {
    "comments": "comment",
    "deliveries": "delivery",
    "invitations": "invitation",
    "items": "item",
    "replays": "replay",
    "submissions": "submission",
    "versions": "version",
}
_WITHIN = rf"(?:/{{}})?/(?P<nouns>{'|'.join(NOUNS)})"
# Method, what follows the root, name.
RULES = [
    ("GET", "", "list"),
    ("POST", "", "create"),
    ("GET", r"\.(?P<format>csv|ndjson)", "export_{format}"),
    ("POST", "/batch", "batch"),
    ("POST", "/import", "import_"),
    ("GET", "/by-external-id/{}", "get_by_external_id"),
    ("PUT", "/by-external-id/{}", "put_by_external_id"),
    ("GET", "/{}", "get"),
    ("PATCH", "/{}", "update"),
    ("DELETE", "/{}", "delete"),
    ("GET", _WITHIN, "list_{nouns}"),
    ("POST", _WITHIN, "create_{noun}"),
    ("GET", _WITHIN + r"\.(?P<format>csv|ndjson)", "export_{nouns}_{format}"),
    ("POST", _WITHIN + "/import", "import_{nouns}"),
    ("GET", _WITHIN + "/{}", "get_{noun}"),
    ("PATCH", _WITHIN + "/{}", "update_{noun}"),
    ("DELETE", _WITHIN + "/{}", "delete_{noun}"),
    ("POST", _WITHIN + "/{}/(?P<verb>[a-z-]+)", "{verb}_{noun}"),
    ("POST", "/{}/(?P<verb>[a-z-]+)", "{verb}"),
]
# By operationId: what the rules have no word for.
NAMED = {
    "readOrganization": "get",
    "changeOrganization": "update",
    "readCalendar": "get_calendar",
    "listCalendarLinks": "list_calendar_links",
    "exportCalendarLinksAsCsv": "export_calendar_links_csv",
    "exportCalendarLinksAsNdjson": "export_calendar_links_ndjson",
    "makeCalendarLink": "create_calendar_link",
    "revokeCalendarLink": "delete_calendar_link",
    "findFreeResources": "list_free",
    "showWhenResourceIsFree": "availability",
    "readChirpstackSettings": "get_chirpstack_settings",
    "changeChirpstackSettings": "put_chirpstack_settings",
    "listEventTypes": "list_types",
    "thisProcessAnswers": "live",
    "serviceCanDoItsWork": "ready",
    "readThisDocument": "get_document",
    "readSlaPolicy": "get_sla_policy",
    "setSlaPolicy": "put_sla_policy",
    "sendReading": "send",
    "sendReadingByExternalId": "send_by_external_id",
    "sendReadingsOfSeveralAssets": "send_batch",
    "readHistoryOfAsset": "history",
    "listReadingsOfAsset": "list_readings",
    "takeUplinkFromChirpstack": "take_chirpstack_uplink",
    "takeUplinkFromThingsStack": "take_ttn_uplink",
    "publicKeysThatTokensAreSignedWith": "get_public_keys",
    "logInWithPassword": "create",
    "getNewTokensForRefreshToken": "refresh",
}
# The document's name of a schema, where users have a shorter one for it.
MODELS = {"StoredEvent": "Event"}
# A group with methods that are written by hand, and the class that they are in.
BASES = {"Events": ("feed", "AsyncFollowing")}


def group_module(tag: str) -> str:
    return snake(re.sub(r"\s*\(.*\)", "", tag))


def group_class(tag: str) -> str:
    return "Async" + "".join(part.capitalize() for part in group_module(tag).split("_"))


def model_name(schema: str) -> str:
    return MODELS.get(schema, schema)


def method_name(operation_id: str, tag: str, method: str, path: str) -> str:
    """Raises LookupError for an operation that no rule fits: then it needs a line in NAMED."""
    if operation_id in NAMED:
        return NAMED[operation_id]
    relative = re.sub(r"\{\w+\}", "{}", re.sub(r"^(/v2)?/organizations/\{orgId\}", "", path))
    root = ROOTS.get(tag, f"/{group_module(tag).replace('_', '-')}")
    if relative.startswith(root):
        rest = relative.removeprefix(root)
        for rule_method, pattern, name in RULES:
            found = re.fullmatch(pattern.replace("{}", r"\{\}"), rest) if method == rule_method else None
            if found:
                words = {key: value.replace("-", "_") for key, value in found.groupdict().items() if value}
                return name.format(**words, noun=NOUNS.get(words.get("nouns", ""), ""))
    raise LookupError(f"{operation_id} ({method} {path}) has no name in Python")


def snake(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"\W+", "_", words).strip("_").lower()


def identifier(name: str) -> str:
    """As an argument or an attribute."""
    found = snake(name)
    return found + "_" if keyword.iskeyword(found) else found


def constant(value: str) -> str:
    """As a member of an enum."""
    found = snake(value).upper()
    return f"_{found}" if found[0].isdigit() else found
