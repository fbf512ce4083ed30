from steward.kit.web.slice import Parts, Site, Slice
from steward.roles import queries as queries
from steward.roles.model import CONSTRAINTS


def site(parts: Parts) -> Site:
    from steward.roles import api

    return Site(routes=api.routes(parts.bus))


SLICE = Slice(name="roles", tables=("roles",), constraints=CONSTRAINTS, site=site)
