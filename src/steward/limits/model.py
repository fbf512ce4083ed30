from steward.kit.coordination.rate_limiter import Limit
from steward.organizations.model import Plan

# The two kinds of failure are counted apart: a broken device must not lock out the people at its address.
FAILED_CREDENTIALS = Limit("failed-credentials", 5, 15 * 60, "failed attempts from this address")

PLAN_LIMITS = {
    Plan.PROFESSIONAL: Limit("plan-professional", 100, 60, "requests of the organization"),
    Plan.ENTERPRISE: Limit("plan-enterprise", 500, 60, "requests of the organization"),
}
