"""`uvicorn bench.peers.web_app:app`: work orders as the tutorials of FastAPI and SQLAlchemy would have them.

The database is that of BENCH_DATABASE_URL, over BENCH_CONNECTIONS connections. It looks each key up by its digest, checks tenant
and permission, validates bodies, and writes number, order, event and deliveries in one transaction. It has no limits, counts
no usage, fills no search index, and reads no policy for deadlines.
"""

import base64
import hashlib
import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, HTTPException, Path, Query
from fastapi.security import APIKeyHeader
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

from bench.peers.tables import (
    ApiKeyRow,
    CounterRow,
    DeliveryRow,
    EventRow,
    WebhookRow,
    WorkOrderRow,
    new_id,
    postgres_url,
)

_CREATED = "workorder.created"
_AFTER_ALL = "~"
_RESPONSE_SECONDS, _RESOLUTION_SECONDS = 3600, 28800

engine = create_async_engine(
    postgres_url(os.environ["BENCH_DATABASE_URL"], "asyncpg"),
    pool_size=int(os.environ["BENCH_CONNECTIONS"]),
    max_overflow=0,
)
open_session = async_sessionmaker(engine, expire_on_commit=False)


@asynccontextmanager
async def _lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """Connects before the first request, so that none has to wait for it."""
    async with AsyncExitStack() as stack:
        for _ in range(engine.pool.size()):
            await stack.enter_async_context(engine.connect())
    yield
    await engine.dispose()


app = FastAPI(lifespan=_lifespan)


class ApiModel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class NewOrder(ApiModel):
    title: str = Field(min_length=1, max_length=200)
    description: str | None = Field(default=None, max_length=10_000)
    priority: Literal["Low", "Medium", "High", "Critical"] = "Medium"


class Order(ApiModel):
    id: str
    number: int
    title: str
    description: str | None
    status: str
    priority: str
    location_id: str | None
    asset_id: str | None
    assignee_id: str | None
    reported_by: str | None
    checklist: list[Any]
    comment_count: int
    reporter_comment_count: int
    external_id: str | None
    custom_data: dict[str, Any] = Field(serialization_alias="metadata")
    hold_reason: str | None
    cancel_reason: str | None
    responded_at: int | None
    completed_at: int | None
    completed_by: str | None
    sla_response_deadline: int | None
    sla_resolution_deadline: int | None
    sla_response_breached_at: int | None
    sla_resolution_breached_at: int | None
    sla_paused_since: int | None
    sla_paused_seconds: int
    created: int
    updated: int


class OneOrder(ApiModel):
    data: Order


class PageOfOrders(ApiModel):
    data: list[Order]
    last_evaluated_key: str | None


async def _session() -> AsyncIterator[AsyncSession]:
    async with open_session() as session:
        yield session


Session = Annotated[AsyncSession, Depends(_session)]
Secret = Annotated[str, Depends(APIKeyHeader(name="X-API-Key"))]


def _caller(permission: str) -> Any:
    """A key that may do this in the organization of the path."""

    async def check(session: Session, secret: Secret, tenant: Annotated[str, Path()]) -> ApiKeyRow:
        digest = hashlib.sha256(secret.encode()).digest()
        key = await session.scalar(select(ApiKeyRow).where(ApiKeyRow.secret_hash == digest))
        if key is None or key.status != "active":
            raise HTTPException(401, "This key is not known.")
        if key.organization_id != tenant:
            raise HTTPException(404, "There is no such organization.")
        # A key without a list may do everything.
        if key.permissions is not None and permission not in key.permissions:
            raise HTTPException(403, f"This needs {permission}.")
        return key

    return Depends(check)


@app.get("/health/live")
async def live() -> dict[str, str]:
    return {"status": "ok"}


@app.get("/organizations/{tenant}/work-orders", dependencies=[_caller("work-orders:read")])
async def list_orders(
    session: Session,
    tenant: str,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    last_evaluated_key: Annotated[str | None, Query(alias="lastEvaluatedKey")] = None,
) -> PageOfOrders:
    before = _AFTER_ALL if last_evaluated_key is None else _opened(last_evaluated_key)
    rows = await session.scalars(
        select(WorkOrderRow)
        .where(WorkOrderRow.organization_id == tenant, WorkOrderRow.id < before)
        .order_by(WorkOrderRow.id.desc())
        .limit(limit + 1)
    )
    orders = [Order.model_validate(row) for row in rows]
    cursor = _sealed(orders[limit - 1].id) if len(orders) > limit else None
    return PageOfOrders(data=orders[:limit], last_evaluated_key=cursor)


@app.get("/organizations/{tenant}/work-orders/{order_id}", dependencies=[_caller("work-orders:read")])
async def get_order(session: Session, tenant: str, order_id: str) -> OneOrder:
    row = await session.get(WorkOrderRow, {"organization_id": tenant, "id": order_id})
    if row is None:
        raise HTTPException(404, "There is no such work order.")
    return OneOrder(data=Order.model_validate(row))


@app.post("/organizations/{tenant}/work-orders", status_code=201)
async def create_order(
    session: Session, tenant: str, new: NewOrder, key: Annotated[ApiKeyRow, _caller("work-orders:write")]
) -> OneOrder:
    now = int(time.time())
    row = WorkOrderRow(
        organization_id=tenant,
        id=new_id("wo"),
        number=await _next_number(session, tenant),
        **new.model_dump(),
        reported_by=key.created_by,
        sla_response_deadline=now + _RESPONSE_SECONDS,
        sla_resolution_deadline=now + _RESOLUTION_SECONDS,
        created=now,
        updated=now,
    )
    session.add(row)
    await session.flush()
    made = OneOrder(data=Order.model_validate(row))
    await _publish(session, tenant, made, now)
    await session.commit()
    return made


async def _next_number(session: AsyncSession, tenant: str) -> int:
    counting = insert(CounterRow).values(organization_id=tenant, name="work order", last=1)
    counting = counting.on_conflict_do_update(
        index_elements=[CounterRow.organization_id, CounterRow.name], set_={"last": CounterRow.last + 1}
    )
    return (await session.execute(counting.returning(CounterRow.last))).scalar_one()


async def _publish(session: AsyncSession, tenant: str, made: OneOrder, now: int) -> None:
    """An outbox: the event and one delivery for each webhook that wants it, in the transaction of the change."""
    event = EventRow(
        organization_id=tenant,
        id=new_id("evt"),
        type=_CREATED,
        created=now,
        about=made.data.id,
        attributes={"priority": made.data.priority},
        body=made.model_dump_json(by_alias=True).encode(),
    )
    session.add(event)
    webhooks = await session.scalars(
        select(WebhookRow).where(WebhookRow.organization_id == tenant, WebhookRow.types.any(_CREATED))
    )
    session.add_all(
        DeliveryRow(
            organization_id=tenant,
            id=new_id("dlv"),
            webhook_id=webhook.id,
            event_id=event.id,
            status="pending" if webhook.status == "active" else "skipped",
            attempts=0,
            due=now * 1000 if webhook.status == "active" else None,
            created=now,
        )
        for webhook in webhooks
    )


def _sealed(order_id: str) -> str:
    """With as much room for a signature as the service's cursor has."""
    return base64.urlsafe_b64encode(bytes(12) + order_id.encode()).decode()


def _opened(cursor: str) -> str:
    return base64.urlsafe_b64decode(cursor)[12:].decode()
