from steward.api_keys import queries
from steward.api_keys.usage import UsageCounter
from steward.kit.db.table_kinds import TableKind
from steward.kit.web.slice import Parts, Site, Slice


def usage_counter(parts: Parts) -> UsageCounter:
    return UsageCounter(parts.pool)


def site(parts: Parts) -> Site:
    from steward.api_keys import api, pages

    usage = parts.once(usage_counter)
    return Site(
        routes=api.routes(parts.bus, parts.limiter, usage),
        pages=pages.pages(parts.bus, parts.limiter, usage),
    )


SLICE = Slice(
    name="api_keys",
    tables=("api_key_usage", "api_key_usage_days"),
    # A key tells the organization, and so can't be found by it.
    other_tables={"api_keys": TableKind.REFERENCE},
    site=site,
    expired=(queries.delete_old_usage,),
)
