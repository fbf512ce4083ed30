from typing import Any

from steward.asset_types import queries as asset_types
from steward.assets.imports.actions import import_assets
from steward.kit.db.lookup import Found
from steward.kit.security.permissions import Permission
from steward.kit.web.import_pages import ImportPages
from steward.kit.web.page import PageRequest

_MAX_TYPES = 50


async def _types(request: PageRequest[Any, Any]) -> list[Found]:
    return await asset_types.LOOKUP.find(request.db, request.caller.tenant, "", _MAX_TYPES)


PAGES = ImportPages(
    path="/app/assets",
    noun="asset",
    plural="assets",
    permission=Permission.ASSETS_WRITE,
    action=import_assets,
    about="assets/import_about.html",
    choices=_types,
    in_parts=True,
).pages()
