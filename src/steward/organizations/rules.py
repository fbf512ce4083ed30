from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import NotFound
from steward.organizations.model import Organization, Plan


def new_organization(name: str, plan: Plan, now: int) -> Organization:
    return Organization(new_id("org"), name, plan, now, now)


def no_such_organization() -> NotFound:
    return NotFound("There is no such organization.")
