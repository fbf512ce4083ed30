"""What people report, and what is planned: the words of the demo's work orders."""

import msgspec

from steward.kit.domain.fields import Priority

_LOW, _MEDIUM, _HIGH, _CRITICAL = Priority.LOW, Priority.MEDIUM, Priority.HIGH, Priority.CRITICAL


class ReportedProblem(msgspec.Struct, frozen=True):
    """`{place}` and `{asset}` are filled in; `kind` is that of the equipment concerned, or None for a room."""

    title: str
    description: str | None
    priority: Priority
    trade: int
    kind: str | None = None


class PlannedWork(msgspec.Struct, frozen=True):
    """Comes every so many weeks, on a Monday."""

    title: str
    kind: str
    every_weeks: int
    trade: int
    checklist: tuple[str, ...]


# The places of the trades among the technicians.
AIR_AND_HEAT, ELECTRICS, PLUMBING, BUILDING = range(4)

REPORTS = (
    ReportedProblem(
        "{place} is too warm", "People have opened the windows; it doesn't help.", _MEDIUM, AIR_AND_HEAT
    ),
    ReportedProblem("{place} is too cold", "Below 19 °C in the morning.", _MEDIUM, AIR_AND_HEAT),
    ReportedProblem(
        "Draught in {place}", "The air outlet above the desks blows straight down.", _LOW, AIR_AND_HEAT
    ),
    ReportedProblem(
        "{asset} is noisy", "A grinding noise that gets louder.", _HIGH, AIR_AND_HEAT, "Air handling unit"
    ),
    ReportedProblem(
        "Filter alarm at {asset}",
        "Pressure drop over the filter is too high.",
        _MEDIUM,
        AIR_AND_HEAT,
        "Air handling unit",
    ),
    ReportedProblem(
        "{asset} shows a fault",
        "Code E42 in the display; it restarts by itself.",
        _HIGH,
        AIR_AND_HEAT,
        "Boiler",
    ),
    ReportedProblem("{asset} does not reach its setpoint", None, _HIGH, AIR_AND_HEAT, "Chiller"),
    ReportedProblem("Lamp out in {place}", None, _LOW, ELECTRICS),
    ReportedProblem("Socket without power in {place}", "Left of the door.", _MEDIUM, ELECTRICS),
    ReportedProblem("Lights flicker in {place}", "Above all in the afternoon.", _MEDIUM, ELECTRICS),
    ReportedProblem("Projector doesn't start in {place}", "The lamp symbol blinks red.", _MEDIUM, ELECTRICS),
    ReportedProblem("{asset} stands still", "Nobody is inside.", _HIGH, ELECTRICS, "Lift"),
    ReportedProblem(
        "Somebody is stuck in {asset}",
        "Emergency call answered; the fitter is informed.",
        _CRITICAL,
        ELECTRICS,
        "Lift",
    ),
    ReportedProblem("Door of {asset} closes too early", None, _MEDIUM, ELECTRICS, "Lift"),
    ReportedProblem("Tap drips in {place}", None, _LOW, PLUMBING),
    ReportedProblem("Drain is blocked in {place}", "Water stands in the sink.", _MEDIUM, PLUMBING),
    ReportedProblem("Water on the floor in {place}", "A bucket is in place.", _CRITICAL, PLUMBING),
    ReportedProblem("Toilet runs on, near {place}", None, _LOW, PLUMBING),
    ReportedProblem("{asset} leaks", "A drop a second at the shaft seal.", _HIGH, PLUMBING, "Pump"),
    ReportedProblem(
        "{asset} is out of order", "It switches off after a minute.", _MEDIUM, ELECTRICS, "Kitchen appliance"
    ),
    ReportedProblem("Door sticks at {place}", None, _LOW, BUILDING),
    ReportedProblem(
        "{asset} doesn't close", "It stays open by a hand's breadth.", _HIGH, BUILDING, "Fire door"
    ),
    ReportedProblem("Chair broken in {place}", "Please take it away; somebody could fall.", _LOW, BUILDING),
    ReportedProblem("Blind jammed in {place}", "Half way down.", _LOW, BUILDING),
    ReportedProblem("Ceiling tile loose in {place}", None, _MEDIUM, BUILDING),
    ReportedProblem("Window can't be closed in {place}", "Rain comes in.", _HIGH, BUILDING),
    ReportedProblem("Carpet has come loose in {place}", "One can trip over the edge.", _MEDIUM, BUILDING),
    ReportedProblem("Key for {place} is missing", None, _LOW, BUILDING),
)

PLANNED = (
    PlannedWork("Quarterly service of {asset}", "Air handling unit", 13, AIR_AND_HEAT,
                ("Change the filters", "Check belts and bearings", "Clean the drip tray", "Note the pressure drop")),
    PlannedWork("Half-yearly inspection of {asset}", "Boiler", 26, AIR_AND_HEAT,
                ("Check the burner", "Measure the flue gas", "Test the safety valve")),
    PlannedWork("Monthly check of {asset}", "Lift", 4, ELECTRICS,
                ("Emergency call answered", "Levels at all floors", "Lighting of the cabin", "Doors reverse")),
    PlannedWork("Monthly test of {asset}", "Emergency lighting", 4, ELECTRICS,
                ("Cut the mains for 10 minutes", "All lamps lit", "Batteries above 90 %")),
    PlannedWork("Quarterly check of {asset}", "Pump", 13, PLUMBING, ("No leaks", "No unusual noise", "Pressure noted")),
    PlannedWork("Half-yearly test of {asset}", "Fire door", 26, BUILDING,
                ("Closes by itself", "Seals undamaged", "Hold-open magnet lets go")),
    PlannedWork("Yearly service of {asset}", "Chiller", 52, AIR_AND_HEAT, ("Leak test", "Oil sample", "Clean the condenser")),
)  # fmt: skip

HOLD_REASONS = (
    "Waiting for a spare part.",
    "Waiting for the manufacturer's fitter.",
    "The room is in use until the end of the week.",
    "Waiting for approval of the quotation.",
)
CANCEL_REASONS = (
    "Reported twice.",
    "Works again; nothing was found.",
    "Done together with another order.",
)
COMMENTS = (
    "Had a look; I know what it is and get the material.",
    "The part is ordered, delivery in two days.",
    "Talked to the people in the room, they can wait until tomorrow.",
    "Cause found: worn out. Replaced.",
    "Please have a look at the one next door as well.",
    "Photo is with the manager.",
    "Reset and watched for half an hour; it holds.",
)
DONE_COMMENTS = (
    "Done and tested.",
    "Replaced, works again.",
    "Adjusted; let us watch it for a week.",
    "Repaired. The old part is in the workshop.",
)
