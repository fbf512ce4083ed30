"""Labels to print: scanning one with a phone opens the page of the asset."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup

from steward.assets import queries
from steward.assets.model import Asset, AssetQuery
from steward.kit.http.decoding import convert_query
from steward.kit.runtime.time_slice import TimeSlice
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.qr import qr_svg
from steward.locations import queries as locations
from steward.users.invitations.rules import own_url

PATH = "/app/assets"
# The size of a list page.
_ON_SHEET = 100


class LabelSheet(msgspec.Struct, frozen=True, kw_only=True):
    labels: list[tuple[Asset, Markup]]
    # The names of locations.
    places: dict[str, str]
    back_path: str
    # The query of the next sheet.
    following: str | None


def pages(public_url: str | None) -> tuple[WebPage, ...]:
    """`public_url` is the service's address; None: as the browser reached it."""

    async def label(request: PageRequest[Any, Any]) -> View:
        found = await request.get(queries.ASSETS, "assetId")
        return await _sheet(request, public_url, [found], back=f"{PATH}/{found.id}")

    async def sheet(request: PageRequest[Any, Any]) -> View:
        """For the assets that the list shows with these filters."""
        known = AssetQuery.__struct_encode_fields__
        given = {name: value for name, value in request.arguments.items() if name in known}
        query = convert_query(AssetQuery, {**given, "limit": str(_ON_SHEET)})
        found = await request.part(queries.LISTING, Asset, query)
        kept = {name: value for name, value in given.items() if name not in ("lastEvaluatedKey", "limit")}
        following = found.next_page and urlencode({**kept, "lastEvaluatedKey": found.next_page})
        back = f"{PATH}?{urlencode(kept)}" if kept else PATH
        return await _sheet(request, public_url, found.rows, back=back, following=following)

    return (
        WebPage("GET", f"{PATH}/labels", sheet, Permission.ASSETS_READ),
        WebPage("GET", f"{PATH}/{{assetId}}/label", label, Permission.ASSETS_READ),
    )


async def _sheet(
    request: PageRequest[Any, Any],
    public_url: str | None,
    assets: Sequence[Asset],
    *,
    back: str,
    following: str | None = None,
) -> View:
    site = public_url or own_url(request.host, https=request.https)
    page = LabelSheet(
        labels=await _labels(site, assets),
        places=await request.names(locations.LOOKUP, (found.location_id for found in assets)),
        back_path=back,
        following=following,
    )
    return View("assets/labels.html", page)


async def _labels(site: str, assets: Sequence[Asset]) -> list[tuple[Asset, Markup]]:
    """A sheet of codes takes long to make, so other requests run in between."""
    time_slice = TimeSlice()
    labels = []
    for found in assets:
        labels.append((found, qr_svg(f"{site}{PATH}/{found.id}")))
        if time_slice.expired:
            await time_slice.yield_control()
    return labels
