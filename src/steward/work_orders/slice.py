from steward.kit.events.topics import Topic
from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import JobParts, Parts, Searched, Site, Slice
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


def jobs(parts: JobParts) -> list[Job]:
    return [
        Job("publish_sla_breaches", 15, lambda: publish_breaches(parts.db, clock.now())),
        Job("open_work_orders", 1, lambda: open_work_orders(parts.db, clock.now())),
    ]


SLICE = Slice(
    name="work_orders",
    tables=("counters", "sla_policies", "work_order_comments", "work_orders"),
    constraints={**CONSTRAINTS, **OF_COMMENTS},
    site=site,
    menu=(MenuEntry(MenuGroup.DAY, 20, "Work orders", "/app/work-orders", "work"),),
    searched=(Searched("Work orders", queries.LOOKUP, "Work order", queries.by_number),),
    history={"work order": READS},
    topics={"workorder": Topic("work-orders", READS, own=True)},
    jobs=jobs,
)
