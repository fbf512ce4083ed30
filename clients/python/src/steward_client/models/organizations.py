"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record


class Plan(OpenEnum):
    ENTERPRISE = "Enterprise"
    PROFESSIONAL = "Professional"
    STARTER = "Starter"


PlanLike: TypeAlias = Plan | Literal["Enterprise", "Professional", "Starter"]


class Organization(Record, kw_only=True):
    id: str
    name: str
    plan: Plan
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""
    telemetry_events: bool = False
    """Whether every reading is written as an event, `asset.telemetry.updated`, also while no webhook wants
    these. Off at first, since they are many.
    """


class OrganizationChanges(Model, kw_only=True):
    """Without the plan, which the operator sets (`steward org set-plan`)."""

    name: str | UnsetType = UNSET
    telemetry_events: bool | UnsetType = UNSET
