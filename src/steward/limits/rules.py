from steward.kit.coordination.rate_limiter import Allowance, Limit


def per_credential(requests_per_minute: int) -> Limit:
    return Limit("key", requests_per_minute, 60, "requests with this key")


def headers(limit: Limit, allowance: Allowance) -> list[tuple[str, str]]:
    """The IETF draft's fields: the policy, and what is left of it."""
    return [
        ("ratelimit-policy", limit.policy),
        ("ratelimit", f'"{limit.scope}";r={allowance.remaining};t={allowance.reset_seconds}'),
    ]
