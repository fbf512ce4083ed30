from steward.access.slice import credential_cache
from steward.kit.events.topics import Topics
from steward.kit.web.menu import HOME, MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Site, Slice
from steward.tokens.slice import login_context
from steward.users.slice import invitation_context, reset_mail
from steward.web import location_panels
from steward.web.live.hub import LiveHub


def live_hub(parts: Parts) -> LiveHub:
    settings = parts.settings
    hub = LiveHub(
        parts.pool,
        parts.hints,
        Topics({name: topic for one in parts.slices for name, topic in one.topics.items()}),
        max_streams=settings.live_streams,
        max_per_organization=settings.live_streams_per_organization,
    )
    parts.caches.append(hub)
    return hub


def site(parts: Parts) -> Site:
    from steward.web import (
        account,
        health,
        integrations,
        invitations,
        login,
        password_resets,
        search,
    )
    from steward.web.asset_charts import pages as asset_charts
    from steward.web.decks import pages as decks
    from steward.web.decks import screens
    from steward.web.live import pages as live
    from steward.web.settings import pages as settings
    from steward.web.settings import roles, users
    from steward.web.today import pages as today

    logging_in, hub = parts.once(login_context), parts.once(live_hub)
    accepting = invitations.AcceptanceContext(parts.bus, parts.once(credential_cache), logging_in)
    return Site(
        routes=health.routes(parts.pool, parts.settings.worker_stale_seconds, parts.stopping),
        pages=(
            *login.pages(logging_in, parts.bus),
            *account.pages(logging_in, parts.bus),
            *invitations.pages(accepting),
            *password_resets.pages(parts.bus, parts.once(reset_mail)),
            *today.PAGES,
            *search.pages(parts.slices),
            *asset_charts.PAGES,
            *decks.pages(parts.bus, parts.settings.public_url),
            *screens.pages(hub, parts.pool),
            *integrations.pages(parts.settings),
            *settings.pages(parts.settings),
            *users.pages(parts.bus, parts.once(invitation_context)),
            *roles.pages(parts.bus),
            *live.pages(hub, parts.pool),
        ),
        panels=location_panels.PANELS,
    )


SLICE = Slice(
    name="web",
    site=site,
    menu=(
        MenuEntry(MenuGroup.DAY, 10, "Today", HOME, "today"),
        MenuEntry(MenuGroup.SET_UP, 10, "Integrations", "/app/integrations", "plug", also=("/app/api-keys",)),
        MenuEntry(MenuGroup.SET_UP, 20, "Settings", "/app/settings", "settings"),
    ),
)
