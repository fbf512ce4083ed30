"""An organization is a tenant: everything belongs to one, and its plan says whether it has an API."""

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from steward.kit.domain.fields import Body, Name, Record, Seconds


class Plan(StrEnum):
    STARTER = "Starter"
    PROFESSIONAL = "Professional"
    ENTERPRISE = "Enterprise"

    @property
    def includes_api(self) -> bool:
        return self is not Plan.STARTER


# As a list of SQL.
PLANS_WITHOUT_API = ", ".join(f"'{plan}'" for plan in Plan if not plan.includes_api)
PLAN_REQUIRED = "API access requires Professional or Enterprise plan"


class Organization(Record, frozen=True):
    id: str
    name: str
    plan: Plan
    created: Seconds
    updated: Seconds
    telemetry_events: Annotated[
        bool,
        Meta(
            description="Whether every reading is written as an event, `asset.telemetry.updated`, also while no webhook wants "
            "these. Off at first, since they are many."
        ),
    ] = False


EXAMPLE = Organization(
    "org_00064a1b2c3d4e5f60718293a4b5", "Harbour House", Plan.PROFESSIONAL, 1767225600, 1767225600
)


class OrganizationChanges(Body, frozen=True):
    """Without the plan, which the operator sets (`steward org set-plan`)."""

    name: Name | UnsetType = UNSET
    telemetry_events: bool | UnsetType = UNSET
