"""What the tests of bookings need again and again."""

import time
from functools import cache
from typing import Any

from tests.support.organizations import Organization

MINUTE = 60
HOUR = 3600
DAY = 86_400


def now() -> int:
    return int(time.time())


@cache
def tomorrow() -> int:
    """A full hour that is still to come; the same one all the time, also where an hour ends between two calls."""
    return now() // HOUR * HOUR + DAY


def envelope(
    organization: Organization, kind: str, told: dict[str, Any], data: dict[str, Any]
) -> dict[str, Any]:
    """What an event of this type has to look like; its identifier and moment are its own."""
    return {
        "id": told["id"],
        "type": kind,
        "organizationId": organization.id,
        "created": told["created"],
        "data": data,
        "livemode": True,
    }


def shown(record: dict[str, Any], fields: str) -> dict[str, Any]:
    return {field: record[field] for field in fields.split()}


WHOLE = "id resourceId resourceName locationId bookedBy startTime endTime status created"
