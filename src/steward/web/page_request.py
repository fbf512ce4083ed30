"""From an HTTP request to what the handler of a page gets: origin, permission, arguments and form."""

from datetime import tzinfo
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from steward.kit.domain.problems import BadRequest, Forbidden
from steward.kit.http.decoding import convert_query
from steward.kit.http.request import Request
from steward.kit.http.route import NoQuery
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import MEANINGS, Both, in_full, is_met
from steward.kit.web.form import SubmittedForm, empty_form
from steward.kit.web.page import WebPage
from steward.web.form_data import read_form

_MAX_ARGUMENTS = 200
NO_QUERY = NoQuery()
# `none`: sent by the person, not by another site.
_OURS = {"same-origin", "none"}


def require_same_origin(request: Request) -> None:
    """Another site can make a browser send a form with the session cookie, but can't forge its origin."""
    site = request.header("sec-fetch-site")
    # Browsers omit that header on plain http; `Origin` is sent there too.
    if site in _OURS or (site is None and _origin_is_host(request)):
        return
    raise Forbidden("This form was not sent from a page of Steward. Go back, reload the page and try again.")


def _origin_is_host(request: Request) -> bool:
    origin, host = request.header("origin"), request.header("host")
    return bool(origin and host) and urlsplit(origin or "").netloc == host


def require_permission(page: WebPage, caller: Caller) -> None:
    need = page.permission
    if need is not None and not is_met(need, caller.permissions):
        wanted = in_full(need)
        if isinstance(need, Both) and wanted in caller.permissions:
            wanted = need.also
        raise Forbidden(
            f"This needs the permission {wanted} ({MEANINGS[wanted]}), which you don't have. "
            "An administrator of your organization can give you a role that includes it."
        )


def read_query(page: WebPage, arguments: dict[str, str]) -> Any:
    return NO_QUERY if page.query is NoQuery else convert_query(page.query, arguments)


async def read_page_form(request: Request, page: WebPage, zone: tzinfo) -> SubmittedForm[Any]:
    if page.form is None:
        return empty_form()
    return await read_form(request, page.form, zone, public=page.public, upload=page.upload)


def read_arguments(query_string: str) -> dict[str, str]:
    """Browsers also send blank fields, which are dropped here, and several values of a name one by one."""
    try:
        pairs = parse_qsl(query_string, errors="strict", max_num_fields=_MAX_ARGUMENTS)
    except ValueError:
        raise BadRequest("This address can't be read.") from None
    arguments: dict[str, str] = {}
    for name, value in pairs:
        if "\0" in value or "\0" in name:
            raise BadRequest("This address holds the character U+0000.")
        arguments[name] = f"{arguments[name]},{value}" if name in arguments else value
    return arguments
