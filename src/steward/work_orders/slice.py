from steward.kit.events.topics import Topic
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Searched, Site, Slice, jobs_of
from steward.work_orders import queries
from steward.work_orders.comments.model import CONSTRAINTS as OF_COMMENTS
from steward.work_orders.jobs import open_work_orders
from steward.work_orders.model import CONSTRAINTS, READS
from steward.work_orders.sla import queries as sla_queries
from steward.work_orders.sla.jobs import publish_breaches


def site(parts: Parts) -> Site:
    from steward.work_orders import api, pages
    from steward.work_orders.bulk import pages as bulk_pages
    from steward.work_orders.comments import api as comments_api
    from steward.work_orders.sla import api as sla_api
    from steward.work_orders.sla import pages as sla_pages
    from steward.work_orders.views import pages as views_pages

    policies = parts.cache(sla_queries.policy)
    return Site(
        routes=(*api.routes(policies), *comments_api.ROUTES, *sla_api.routes(parts.bus, policies)),
        pages=(
            *views_pages.pages(policies),
            *bulk_pages.pages(policies),
            *pages.pages(policies),
            *sla_pages.pages(parts.bus),
        ),
        panels=pages.PANELS,
    )


SLICE = Slice(
    name="work_orders",
    tables=("counters", "sla_policies", "work_order_comments", "work_orders"),
    constraints={**CONSTRAINTS, **OF_COMMENTS},
    site=site,
    menu=(MenuEntry(MenuGroup.DAY, 20, "Work orders", "/app/work-orders", "work"),),
    searched=(Searched("Work orders", queries.LOOKUP, "Work order", queries.by_number),),
    history={"work order": READS},
    topics={"workorder": Topic("work-orders", READS, own=True)},
    jobs=jobs_of(("publish_sla_breaches", 15, publish_breaches), ("open_work_orders", 1, open_work_orders)),
)
