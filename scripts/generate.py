"""Writes what is made from the code: openapi.json and the generated pages under docs/reference."""

import json
from pathlib import Path

from steward.api_keys.model import CREATION_LIMIT, MAX_ACTIVE
from steward.bookings.feeds.model import READS
from steward.bookings.tablets.model import CHANGES, VIEWS
from steward.kit.domain import moves, problems
from steward.kit.domain.moves import Move, Moves
from steward.kit.security.permissions import MEANINGS, Permission
from steward.kit.security.rate_limiter import Limit
from steward.limits.model import FAILED_CREDENTIALS, PLAN_LIMITS
from steward.limits.rules import per_credential
from steward.roles.model import BUILT_IN
from steward.settings import SETTINGS, Settings
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
from steward.wiring.routes import api_document

ROOT = Path(__file__).parent.parent
_NOTE = "<!-- Written by `make docs`; change the code instead. -->\n"


def generated() -> dict[Path, str]:
    """Every generated file with what belongs into it."""
    reference = ROOT / "docs" / "reference"
    return {
        ROOT / "openapi.json": json.dumps(api_document(), indent=1, ensure_ascii=False) + "\n",
        reference / "settings.md": _settings(),
        reference / "permissions.md": _permissions(),
        reference / "limits.md": _limits(),
        reference / "errors.md": _errors(),
        reference / "moves.md": _moves(),
    }


def _table(*rows: tuple[str, ...]) -> str:
    head, *body = rows
    lines = [head, tuple("---" for _ in head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _settings() -> str:
    defaults = Settings()
    rows = []
    for setting in SETTINGS:
        shown = _shown(getattr(defaults, setting.name))
        rows.append(
            (f"`{setting.variable}`", setting.format, f"`{shown}`" if shown else "none", setting.meaning)
        )
    table = _table(("variable", "written as", "default", "meaning"), *rows)
    return (
        f"{_NOTE}# Settings\n\nRead from the environment once, at the start. A variable that begins with `STEWARD_` and "
        "isn't listed here, or a value that can't be read, stops the start with a line that names it. Options of "
        "`steward up` win over the environment. `STEWARD_URL`, `STEWARD_API_KEY` and `STEWARD_ORG` are for callers of the API, "
        f"as in all examples: the service ignores them.\n\n{table}"
    )


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value) if value else ""


def _permissions() -> str:
    meanings = _table(("permission", "meaning"), *((f"`{p}`", MEANINGS[p]) for p in Permission))
    roles = _table(
        ("role", "for", "permissions"),
        *(
            (
                name,
                what,
                "all" if len(held) == len(Permission) else ", ".join(f"`{p}`" for p in sorted(held)),
            )
            for name, (what, held) in BUILT_IN.items()
        ),
    )
    return (
        f"{_NOTE}# Permissions\n\nOne vocabulary for roles and API keys.\n\n{meanings}\n## Built-in roles\n\n"
        f"They come with every organization and can be neither changed nor deleted.\n\n{roles}"
    )


_ADDRESSES = (
    "Client addresses are counted in one form, however they are written: IPv4 by address, also inside an IPv6 address "
    "(mapped, 6to4, NAT64); IPv6 by /64, without a zone. No limit on logins touches sessions, tokens or API keys that are "
    "there already."
)


def _limits() -> str:
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
    table = _table(("what", "how many", "counted per", "note"), *rows)
    most = ", ".join(f"{number} on {plan}" for plan, number in MAX_ACTIVE.items())
    return (
        f"{_NOTE}# Limits\n\nA window begins with its first request and the next one begins after its end. Limits hold over "
        "all processes together. Whoever exceeds one gets 429 with `Retry-After`; every authenticated answer carries "
        f"`RateLimit-Policy` and `RateLimit`.\n\n{table}\n{_ADDRESSES}\n\nActive API keys at most: {most}; Enterprise has no bound (409 when "
        f"full). Webhooks at most: {MAX_WEBHOOKS} per organization (409). Page size: 20 by default, 100 at most. Request "
        "body: 1 MiB; batches and CSV imports 4 MiB.\n"
    )


def _errors() -> str:
    rows = ((str(problem.status), f"`{problem.code}`", problem.when) for problem in problems.ALL)
    return (
        f'{_NOTE}# Errors\n\nEvery refusal is `{{"error", "message", "requestId"}}`. 422 adds '
        '`details: [{"field", "message"}]`. Read `error` and `details` in programs; `message` is for people.\n\n'
        + _table(("status", "error", "when"), *rows)
    )


def _moves() -> str:
    tables = "\n".join(_moves_of(moves.ALL[noun]) for noun in sorted(moves.ALL))
    return (
        f"{_NOTE}# Moves\n\nWhich states a record has, and what leads from one to another. `POST …/{{id}}/{{move}}` asks for a "
        "move; one that isn't possible is 409, and the message names the state and what is possible in it. A move that "
        'takes a reason is sent with `{"reason": "…"}`.\n\n'
        f"{tables}"
    )


def _moves_of(machine: Moves) -> str:
    return f"## {machine.noun.capitalize()}\n\n" + _table(
        ("move", "from", "to", "event", "by"), *(_move(row) for row in machine.rows)
    )


def _move(row: Move) -> tuple[str, ...]:
    reason = ", with a reason" if row.needs_reason else ""
    return (
        f"`{row.verb}`{reason}",
        ", ".join(f"`{source}`" for source in row.sources),
        f"`{row.target}`" if row.target else "stays",
        f"`{row.event.name}`" if row.event else "none",
        "the service, when its time comes" if row.automatic else "request",
    )


if __name__ == "__main__":
    for file, text in generated().items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        print(file.relative_to(ROOT))  # noqa: T201
