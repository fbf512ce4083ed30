from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.kit.web.slice import JobParts, Parts, Site, Slice
from steward.webhooks.deliveries import queries as queries
from steward.webhooks.jobs import SubscriptionUpkeep
from steward.webhooks.model import CONSTRAINTS
from steward.webhooks.replays.jobs import delete_old_replays, run_replays


def site(parts: Parts) -> Site:
    from steward.webhooks import api, pages
    from steward.webhooks.deliveries import api as deliveries_api
    from steward.webhooks.deliveries import pages as deliveries_pages
    from steward.webhooks.editor import pages as editor_pages
    from steward.webhooks.replays import api as replays_api
    from steward.webhooks.replays import pages as replays_pages

    encryption, allow_local = parts.encryption, parts.settings.webhook_allow_local
    return Site(
        routes=(
            *api.routes(encryption, allow_local=allow_local),
            *deliveries_api.ROUTES,
            *replays_api.ROUTES,
        ),
        pages=(
            *pages.pages(encryption, allow_local=allow_local),
            *editor_pages.pages(encryption, allow_local=allow_local),
            *deliveries_pages.PAGES,
            *replays_pages.PAGES,
        ),
    )


def jobs(parts: JobParts) -> list[Job]:
    subscriptions = SubscriptionUpkeep()
    return [
        Job("complete_subscriptions", 3600, lambda: subscriptions.run(parts.db)),
        Job("replay_deliveries", 1, lambda: run_replays(parts.db, clock.now())),
    ]


SLICE = Slice(
    name="webhooks",
    tables=("deliveries", "delivery_attempts", "webhook_filter_names", "webhook_replays", "webhooks"),
    constraints=CONSTRAINTS,
    site=site,
    jobs=jobs,
    expired=(delete_old_replays,),
)
