from steward.kit.web.slice import Parts, Site, Slice


def site(_parts: Parts) -> Site:
    from steward.organizations import api

    return Site(routes=api.ROUTES)


SLICE = Slice(name="organizations", tables=("organizations",), site=site)
