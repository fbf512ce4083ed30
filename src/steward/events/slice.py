from steward.events import queries as queries
from steward.events.feed.queries import note_last_position
from steward.kit.db.table_kinds import TableKind
from steward.kit.jobs.runner import Job
from steward.kit.web.slice import JobParts, Parts, Site, Slice


def site(parts: Parts) -> Site:
    from steward.events import api, pages
    from steward.events.feed.actions import FeedReader

    return Site(
        routes=api.routes(FeedReader(parts.hints, parts.stopping)),
        pages=pages.pages(),
        panels=pages.panels(parts.slices),
    )


def jobs(parts: JobParts) -> list[Job]:
    return [Job("note_last_event_position", 60, lambda: note_last_position(parts.db))]


SLICE = Slice(
    name="events",
    tables=("events",),
    other_tables={"event_positions": TableKind.LOCAL},
    site=site,
    jobs=jobs,
)
