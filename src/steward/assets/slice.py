from steward.assets import queries
from steward.assets.commands.jobs import delete_old_commands, expire_commands
from steward.assets.connectivity.jobs import connectivity_job
from steward.assets.model import CONSTRAINTS
from steward.kit.events.topics import Topic
from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.kit.security.permissions import Permission
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import JobParts, Parts, Searched, Site, Slice


def site(parts: Parts) -> Site:
    from steward.assets import api, pages
    from steward.assets.chirpstack import api as chirpstack_api
    from steward.assets.chirpstack import pages as chirpstack_pages
    from steward.assets.commands import api as commands_api
    from steward.assets.commands import pages as commands_pages

    encryption, allow_local = parts.encryption, parts.settings.webhook_allow_local
    return Site(
        routes=(
            *api.ROUTES,
            *commands_api.ROUTES,
            *chirpstack_api.routes(encryption, allow_local=allow_local),
        ),
        pages=(
            *pages.pages(parts.settings.public_url),
            *commands_pages.PAGES,
            *chirpstack_pages.pages(encryption, allow_local=allow_local),
        ),
        panels=commands_pages.PANELS,
    )


def jobs(parts: JobParts) -> list[Job]:
    return [
        Job("expire_commands", 5, lambda: expire_commands(parts.db, clock.now())),
        connectivity_job(parts.db, parts.settings.connectivity_check_seconds),
    ]


SLICE = Slice(
    name="assets",
    tables=("assets", "chirpstack_servers", "commands"),
    constraints=CONSTRAINTS,
    site=site,
    menu=(MenuEntry(MenuGroup.DAY, 40, "Assets", "/app/assets", "asset", also=("/app/asset-types",)),),
    searched=(Searched("Assets", queries.LOOKUP),),
    history={"asset": None},
    # Values have an event of their own, for the assets that a page shows.
    topics={"asset": Topic("assets", Permission.ASSETS_READ), "asset.telemetry": None},
    jobs=jobs,
    expired=(delete_old_commands,),
)
