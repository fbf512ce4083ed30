from functools import partial

from msgspec.structs import replace

from steward.kit.events.event_types import event_type
from steward.kit.security.permissions import Permission
from steward.visitors.model import EXAMPLE, VisitorStatus

_define = partial(event_type, permission=Permission.VISITORS_READ)

_ARRIVED = replace(EXAMPLE, status=VisitorStatus.CHECKED_IN, checked_in_at=1767258120)
_GONE = replace(_ARRIVED, status=VisitorStatus.CHECKED_OUT, checked_out_at=1767265320)

REGISTERED = _define(
    "visitor.registered",
    "Visitor pre-registered.",
    EXAMPLE,
    "id name email company host_id location_id expected_arrival status created",
)
UPDATED = _define(
    "visitor.updated",
    "What is known of an expected visitor modified.",
    EXAMPLE,
    "id name email company host_id location_id expected_arrival external_id metadata status created",
    previous="name email company host_id location_id expected_arrival external_id metadata",
    was={"expected_arrival": 1767254400},
)
CANCELLED = _define(
    "visitor.cancelled",
    "Visit called off.",
    replace(EXAMPLE, status=VisitorStatus.CANCELLED),
    "id name status created",
    was_status=VisitorStatus.REGISTERED,
)
ERASED = _define(
    "visitor.erased",
    "Personal data of a visitor erased, by somebody or because the visit was long ago; the visit stays.",
    replace(_GONE, name=None, email=None, company=None, erased_at=1775041320),
    "id location_id status erased_at created",
)
CHECKED_IN = _define(
    "visitor.checked_in",
    "Visitor checks in.",
    _ARRIVED,
    "id name status checked_in_at created",
    was_status=VisitorStatus.REGISTERED,
)
CHECKED_OUT = _define(
    "visitor.checked_out",
    "Visitor checks out.",
    _GONE,
    "id name status checked_out_at created",
    was_status=VisitorStatus.CHECKED_IN,
)
