from steward.kit.events.topics import Topic
from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.kit.security.permissions import Permission
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import JobParts, Searched, Slice, site_of
from steward.visitors import queries
from steward.visitors.jobs import erase_late_answers, erase_old_visitors
from steward.visitors.model import CONSTRAINTS


def jobs(parts: JobParts) -> list[Job]:
    days = parts.settings.visitor_retention_days
    return [
        Job("erase_old_visitors", 3600, lambda: erase_old_visitors(parts.db, clock.now(), days)),
        Job("erase_late_visitor_answers", 30, lambda: erase_late_answers(parts.db, clock.now())),
    ]


SLICE = Slice(
    name="visitors",
    tables=("visitors",),
    constraints=CONSTRAINTS,
    site=site_of("steward.visitors.api", "steward.visitors.reception.pages", "steward.visitors.pages"),
    menu=(MenuEntry(MenuGroup.DAY, 60, "Visitors", "/app/visitors", "visitor"),),
    searched=(Searched("Visitors", queries.LOOKUP),),
    history={"visitor": None},
    topics={"visitor": Topic("visitors", Permission.VISITORS_READ)},
    jobs=jobs,
)
