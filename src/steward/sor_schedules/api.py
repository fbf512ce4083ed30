from steward.kit.http.resource import Resource
from steward.kit.security.permissions import Permission
from steward.sor_schedules import actions, queries
from steward.sor_schedules.model import (
    EXAMPLE,
    NewSchedule,
    NewVersion,
    Publication,
    ScheduleChanges,
    ScheduleQuery,
    Withdrawal,
)

SCHEDULES = Resource(
    noun="schedule of rates",
    plural="schedules of rates",
    path="/organizations/{orgId}/sor/schedules",
    example=EXAMPLE,
    table=queries.SCHEDULES,
    listing=queries.LISTING,
    query=ScheduleQuery,
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
PUBLISHED_REFUSAL = "The schedule is published; neither it nor its items change any more."

ROUTES = (
    *SCHEDULES.reads(),
    SCHEDULES.create(
        actions.create,
        NewSchedule,
        body_example={
            "name": "Building fabric 2026",
            "effectiveFrom": 1767225600,
            "effectiveTo": 1798761600,
        },
    ),
    SCHEDULES.change(
        actions.change,
        ScheduleChanges,
        body_example={"effectiveTo": 1798761600},
        refusals={409: PUBLISHED_REFUSAL},
    ),
    SCHEDULES.delete(
        actions.delete,
        description="Its items go with it.",
        refusals={409: PUBLISHED_REFUSAL},
    ),
    SCHEDULES.move_with(
        "publish",
        actions.publish,
        Publication,
        description="Needs at least one item, and effectiveFrom before effectiveTo (422). From then on neither the "
        "schedule nor its items change. The version that it supersedes ends at its effectiveFrom.",
    ),
    SCHEDULES.move_with(
        "supersede",
        actions.supersede,
        NewVersion,
        summary="Make the next version of a schedule of rates",
        client_name="supersedeScheduleOfRates",
        description="Answers a draft with the same items, to be changed and published. There is one next version at a "
        "time; while it is a draft it can be deleted, and made anew.",
        status=201,
        body_example={"effectiveFrom": 1782864000, "effectiveTo": 1814400000},
        refusals={409: "Not in this state, or there is a next version already."},
    ),
    SCHEDULES.move_with(
        "withdraw",
        actions.withdraw,
        Withdrawal,
        description="It ends now. Quotations keep the rates that they copied, and get no new ones from it.",
        body_example={"reason": "The framework contract was ended."},
    ),
)
