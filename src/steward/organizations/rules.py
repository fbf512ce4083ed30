from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import NotFound
from steward.organizations.model import Organization, OrganizationChanges, Plan


def new_organization(name: str, plan: Plan, now: int) -> Organization:
    return Organization(new_id("org"), name, plan, now, now)


def changed_organization(old: Organization, changes: OrganizationChanges, now: int) -> Organization:
    """The same object if nothing differs."""
    new = apply(old, changes)
    return old if new == old else replace(new, updated=now)


def with_plan(old: Organization, plan: Plan, now: int) -> Organization:
    return replace(old, plan=plan, updated=now)


def no_such_organization() -> NotFound:
    return NotFound("There is no such organization.")
