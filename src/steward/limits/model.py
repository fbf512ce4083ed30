from steward.kit.domain.problems import TooManyRequests
from steward.kit.security.rate_limiter import Allowance, Limit
from steward.organizations.model import Plan

# The two kinds of failure are counted apart: a broken device must not lock out the people at its address.
FAILED_CREDENTIALS = Limit("failed-credentials", 5, 15 * 60, "failed attempts from this address")

PLAN_LIMITS = {
    Plan.PROFESSIONAL: Limit("plan-professional", 100, 60, "requests of the organization"),
    Plan.ENTERPRISE: Limit("plan-enterprise", 500, 60, "requests of the organization"),
}


def per_credential(requests_per_minute: int) -> Limit:
    return Limit("key", requests_per_minute, 60, "requests with this key")


def headers(limit: Limit, verdict: Allowance) -> list[tuple[str, str]]:
    """The IETF draft's fields: the policy, and what is left of it."""
    return [
        ("ratelimit-policy", limit.policy),
        ("ratelimit", f'"{limit.scope}";r={verdict.remaining};t={verdict.reset_seconds}'),
    ]


def exceeded(limit: Limit, verdict: Allowance) -> TooManyRequests:
    return TooManyRequests(
        f"at most {limit.allowed} {limit.what} in {limit.seconds} seconds.", retry_after=verdict.reset_seconds
    )
