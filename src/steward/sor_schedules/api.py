from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission
from steward.sor_schedules import actions, queries
from steward.sor_schedules.model import EXAMPLE, NewSchedule, Schedule, ScheduleChanges, ScheduleQuery

SCHEDULES = Resource(
    tag="Schedules of rates",
    path="/organizations/{orgId}/sor/schedules",
    id_name="scheduleId",
    gives=Schedule,
    example=EXAMPLE,
    table=queries.SCHEDULES,
    listing=queries.LISTING,
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
PUBLISHED_REFUSAL = "The schedule is published; neither it nor its items change any more."

ROUTES: tuple[Route, ...] = (
    SCHEDULES.list("listSchedulesOfRates", "List schedules of rates", query=ScheduleQuery),
    *SCHEDULES.exports("exportSchedulesOfRates", "schedules of rates", query=ScheduleQuery),
    SCHEDULES.create(
        actions.create,
        "createScheduleOfRates",
        "Create a schedule of rates",
        body=NewSchedule,
        body_example={
            "name": "Building fabric 2026",
            "effectiveFrom": 1767225600,
            "effectiveTo": 1798761600,
        },
    ),
    SCHEDULES.read("readScheduleOfRates", "Read a schedule of rates"),
    SCHEDULES.change(
        actions.change,
        "changeScheduleOfRates",
        "Change a schedule of rates",
        body=ScheduleChanges,
        body_example={"effectiveTo": 1798761600},
        refusals={409: PUBLISHED_REFUSAL},
    ),
    SCHEDULES.delete(
        actions.delete,
        "deleteScheduleOfRates",
        "Delete a schedule of rates",
        description="Its items go with it.",
        refusals={409: PUBLISHED_REFUSAL},
    ),
    SCHEDULES.move(
        "publish",
        actions.publish,
        "publishScheduleOfRates",
        "Publish a schedule of rates",
        description="Needs at least one item, and effectiveFrom before effectiveTo (422). From then on neither the "
        "schedule nor its items change.",
    ),
)
