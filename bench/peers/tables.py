"""The service's tables as an ORM maps them: columns that a peer neither reads nor writes are left out."""

import secrets
import time
from typing import Any

from sqlalchemy import ARRAY, BigInteger, LargeBinary, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def new_id(prefix: str) -> str:
    """As long as the service's, and sorted by time as these are."""
    return f"{prefix}_{time.time_ns() // 1000:014x}{secrets.token_hex(7)}"


def postgres_url(url: str, driver: str) -> str:
    return url.replace("postgresql://", f"postgresql+{driver}://", 1)


class Base(DeclarativeBase):
    type_annotation_map = {int: BigInteger, str: Text, bytes: LargeBinary}


class OfTenant(Base):
    __abstract__ = True

    organization_id: Mapped[str] = mapped_column(primary_key=True)


class ApiKeyRow(OfTenant):
    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(primary_key=True)
    permissions: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    secret_hash: Mapped[bytes]
    status: Mapped[str]
    created_by: Mapped[str]


class CounterRow(OfTenant):
    __tablename__ = "counters"

    name: Mapped[str] = mapped_column(primary_key=True)
    last: Mapped[int]


class WorkOrderRow(OfTenant):
    __tablename__ = "work_orders"

    id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int]
    title: Mapped[str]
    description: Mapped[str | None]
    status: Mapped[str] = mapped_column(default="Open")
    priority: Mapped[str]
    location_id: Mapped[str | None]
    asset_id: Mapped[str | None]
    assignee_id: Mapped[str | None]
    reported_by: Mapped[str | None]
    checklist: Mapped[list[Any]] = mapped_column(JSONB, default=list)
    comment_count: Mapped[int] = mapped_column(default=0)
    reporter_comment_count: Mapped[int] = mapped_column(default=0)
    external_id: Mapped[str | None]
    # `metadata` is a name that SQLAlchemy keeps for itself.
    custom_data: Mapped[dict[str, Any]] = mapped_column("metadata", JSONB, default=dict)
    hold_reason: Mapped[str | None]
    cancel_reason: Mapped[str | None]
    responded_at: Mapped[int | None]
    completed_at: Mapped[int | None]
    completed_by: Mapped[str | None]
    sla_response_deadline: Mapped[int | None]
    sla_resolution_deadline: Mapped[int | None]
    sla_response_breached_at: Mapped[int | None]
    sla_resolution_breached_at: Mapped[int | None]
    sla_paused_since: Mapped[int | None]
    sla_paused_seconds: Mapped[int] = mapped_column(default=0)
    created: Mapped[int]
    updated: Mapped[int]


class WebhookRow(OfTenant):
    __tablename__ = "webhooks"

    id: Mapped[str] = mapped_column(primary_key=True)
    url: Mapped[str]
    types: Mapped[list[str]] = mapped_column(ARRAY(Text))
    status: Mapped[str]
    secrets: Mapped[bytes]


class EventRow(OfTenant):
    __tablename__ = "events"

    id: Mapped[str] = mapped_column(primary_key=True)
    type: Mapped[str]
    created: Mapped[int]
    about: Mapped[str]
    attributes: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    body: Mapped[bytes]


class DeliveryRow(OfTenant):
    __tablename__ = "deliveries"

    id: Mapped[str] = mapped_column(primary_key=True)
    webhook_id: Mapped[str]
    event_id: Mapped[str]
    status: Mapped[str]
    attempts: Mapped[int]
    due: Mapped[int | None]
    created: Mapped[int]
    finished: Mapped[int | None]


class AttemptRow(OfTenant):
    __tablename__ = "delivery_attempts"

    delivery_id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    started: Mapped[int]
    duration_ms: Mapped[int]
    status_code: Mapped[int | None]
    error: Mapped[str | None]
    response: Mapped[bytes | None]
