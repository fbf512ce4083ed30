from steward.asset_types import queries as queries
from steward.asset_types.model import CONSTRAINTS
from steward.kit.web.slice import Parts, Site, Slice


def site(_parts: Parts) -> Site:
    from steward.asset_types import api, pages

    return Site(routes=api.ROUTES, pages=pages.PAGES)


SLICE = Slice(name="asset_types", tables=("asset_types",), constraints=CONSTRAINTS, site=site)
