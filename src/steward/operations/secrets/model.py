"""Everything that is stored sealed: one list, in which no column may be missing."""

import msgspec

from steward.assets.chirpstack.rules import PURPOSE as CHIRPSTACK_TOKEN
from steward.kit.db.idempotency import PURPOSE as IDEMPOTENT_ANSWER
from steward.webhooks.signing import PURPOSE as WEBHOOK_SECRET


class SealedColumn(msgspec.Struct, frozen=True):
    """`key` are the columns that name a row. Without a purpose, that is the row's own name."""

    table: str
    key: tuple[str, ...]
    column: str
    purpose: str | None = None


SEALED = (
    SealedColumn("service_secrets", ("name",), "value"),
    SealedColumn("webhooks", ("organization_id", "id"), "secrets", WEBHOOK_SECRET),
    SealedColumn("chirpstack_servers", ("organization_id",), "token", CHIRPSTACK_TOKEN),
    SealedColumn("idempotent_answers", ("organization_id", "subject", "key"), "answer", IDEMPOTENT_ANSWER),
)


class SealedValue(msgspec.Struct, frozen=True):
    key: tuple[str, ...]
    purpose: str
    sealed: bytes
