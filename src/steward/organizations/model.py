"""An organization is a tenant: everything belongs to one, and its plan says whether it has an API."""

from enum import StrEnum

from msgspec import UNSET, UnsetType

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


class OrganizationChanges(Body, frozen=True):
    """The plan isn't here: who runs the service decides on it (`steward org set-plan`)."""

    name: Name | UnsetType = UNSET
