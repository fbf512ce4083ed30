"""From an HTTP request to what the handler of a page gets: permission, arguments, form and the viewer's time zone."""

from datetime import tzinfo
from typing import Any
from urllib.parse import parse_qsl

from steward.kit.db.cursors import Cursors
from steward.kit.db.pool import Database
from steward.kit.domain.problems import BadRequest, Forbidden
from steward.kit.http.decoding import convert_query
from steward.kit.http.request import Request
from steward.kit.http.route import NoQuery
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import MEANINGS, Both, in_full, is_met
from steward.kit.web.form import SubmittedForm, empty_form
from steward.kit.web.moments import set_viewer
from steward.kit.web.page import PageRequest, PageServices, WebPage
from steward.kit.web.remember import remembered
from steward.web.cookies import zone_of
from steward.web.form_data import read_form

_MAX_ARGUMENTS = 200
NO_QUERY = NoQuery()


async def read_request(
    request: Request,
    page: WebPage,
    caller: Caller,
    *,
    db: Database,
    cursors: Cursors,
    services: PageServices,
    params: dict[str, str],
) -> PageRequest[Any, Any]:
    zone = zone_of(request)
    set_viewer(request.now_ms // 1000, zone)
    arguments = _arguments(request.query_string)
    found: PageRequest[Any, Any] = PageRequest(
        db=db,
        cursors=cursors,
        caller=caller,
        form=await _form(request, page, zone),
        query=NO_QUERY if page.query is NoQuery else convert_query(page.query, arguments),
        now=request.now_ms // 1000,
        services=services,
    )
    found.params = params
    found.arguments = arguments
    found.zone = zone
    found.client = request.client
    found.https = request.https
    found.host = request.header("host") or ""
    found.remembered = dict(remembered(request.header("cookie") or ""))
    return found


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


async def _form(request: Request, page: WebPage, zone: tzinfo) -> SubmittedForm[Any]:
    if page.form is None:
        return empty_form()
    return await read_form(request, page.form, zone, public=page.public, upload=page.upload)


def _arguments(query_string: str) -> dict[str, str]:
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
