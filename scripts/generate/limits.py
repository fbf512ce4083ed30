"""The limits, from where they are defined."""

from scripts.generate.tables import NOTE, table
from steward.api_keys.model import CREATION_LIMIT, MAX_ACTIVE
from steward.bookings.feeds.model import READS
from steward.bookings.tablets.model import CHANGES, VIEWS
from steward.kit.coordination.rate_limiter import Limit
from steward.limits.model import FAILED_CREDENTIALS, PLAN_LIMITS
from steward.limits.rules import per_credential
from steward.settings import Settings
from steward.tokens.model import (
    ACCOUNT_FAILURES,
    FORM_ADDRESS_FAILURES,
    FORM_FAILURES,
    PASSWORD_FAILURES,
    SIDE_GUESSES,
)
from steward.users.invitations.model import INVITATION_LIMIT
from steward.users.password_resets.model import ADDRESS_LIMIT, EMAIL_LIMIT
from steward.webhooks.model import MAX_WEBHOOKS

_ADDRESSES = (
    "Client addresses are counted in one form, however they are written: IPv4 by address, also inside an IPv6 address "
    "(mapped, 6to4, NAT64); IPv6 by /64, without a zone. No limit on logins touches sessions, tokens or API keys that are "
    "there already."
)


def limits() -> str:
    def row(limit: Limit, scope: str, note: str) -> tuple[str, ...]:
        minutes = f"{limit.seconds // 60} min" if limit.seconds < 3600 else f"{limit.seconds // 3600} h"
        return (limit.what, f"{limit.allowed} in {minutes}", scope, note)

    rows = (
        row(
            per_credential(Settings().key_requests_per_minute),
            "API key, or person's token",
            "`STEWARD_KEY_REQUESTS_PER_MINUTE`",
        ),
        *(
            row(limit, f"organization on {plan}", "only with `STEWARD_PLAN_RATE_LIMITS=on`")
            for plan, limit in PLAN_LIMITS.items()
        ),
        row(FAILED_CREDENTIALS, "client address", "a valid key from there keeps working"),
        row(
            PASSWORD_FAILURES,
            "client address, logins over the API",
            "password logins from there are refused until the window ends",
        ),
        row(FORM_FAILURES, "e-mail address and client address, logins in the web app", ""),
        row(FORM_ADDRESS_FAILURES, "client address, logins in the web app", ""),
        row(
            ACCOUNT_FAILURES,
            "e-mail address, whether it has an account or not",
            "logins go on from addresses where the person logged in within 30 days",
        ),
        row(
            SIDE_GUESSES,
            "account",
            "the account is then tried only by logins that name its organization, or from an address known for it",
        ),
        row(EMAIL_LIMIT, "e-mail address, whether it has an account or not", ""),
        row(ADDRESS_LIMIT, "client address", ""),
        row(INVITATION_LIMIT, "organization", ""),
        row(CREATION_LIMIT, "organization", ""),
        row(READS, "calendar link", "reads that are answered 304 count, too"),
        row(VIEWS, "tablet link", ""),
        row(CHANGES, "tablet link", "booking, checking in, ending"),
    )
    rows_of_page = table(("what", "how many", "counted per", "note"), *rows)
    most = ", ".join(f"{number} on {plan}" for plan, number in MAX_ACTIVE.items())
    return (
        f"{NOTE}# Limits\n\nA window begins with its first request and the next one begins after its end. Limits hold over "
        "all processes together. A caller who exceeds one gets 429 with `Retry-After`; every authenticated answer carries "
        f"`RateLimit-Policy` and `RateLimit`.\n\n{rows_of_page}\n{_ADDRESSES}\n\nActive API keys at most: {most}; Enterprise has no bound (409 when "
        f"full). Webhooks at most: {MAX_WEBHOOKS} per organization (409). Page size: 20 by default, 100 at most. Request "
        "body: 1 MiB; batches and CSV imports 4 MiB.\n"
    )
