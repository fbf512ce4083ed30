"""`celery --app bench.peers.task_queue worker`: one task for each delivery, as Celery's manual would have it.

Tasks are acknowledged after they ran (`acks_late`), so that a worker which dies loses none; what happened is written to
PostgreSQL, an attempt and the delivery's state in one transaction that holds the delivery meanwhile, so that a task which comes
twice is sent once. `python -m bench.peers.task_queue fill` makes a task for each delivery that waits, `empty` drops them.
"""

import base64
import hashlib
import hmac
import os
import sys
import time

import requests
from celery import Celery
from sqlalchemy import create_engine, select, update
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool, QueuePool

from bench.peers.tables import AttemptRow, DeliveryRow, EventRow, WebhookRow, postgres_url

_TIMEOUT_SECONDS = 10
_RETRY_SECONDS = 60
_KEPT_BYTES = 1024
_SECRET_PREFIX = "whsec_"

app = Celery("deliveries", broker=os.environ["BENCH_BROKER_URL"])
app.conf.update(
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    # Tasks are short: the manual says to take many ahead.
    worker_prefetch_multiplier=64,
    broker_connection_retry_on_startup=True,
)
# A connection is made by the process that uses it, after the fork; filling the queue has one for a moment.
engine = create_engine(
    postgres_url(os.environ["BENCH_DATABASE_URL"], "psycopg"),
    poolclass=QueuePool if "worker" in sys.argv else NullPool,
)
http = requests.Session()


@app.task(bind=True, name="deliver", max_retries=20)
def deliver(task, organization_id: str, delivery_id: str) -> None:
    with Session(engine) as session:
        found = session.execute(
            select(DeliveryRow, EventRow.body, WebhookRow.url, WebhookRow.secrets)
            .join(
                EventRow,
                (EventRow.organization_id == DeliveryRow.organization_id)
                & (EventRow.id == DeliveryRow.event_id),
            )
            .join(
                WebhookRow,
                (WebhookRow.organization_id == DeliveryRow.organization_id)
                & (WebhookRow.id == DeliveryRow.webhook_id),
            )
            .where(DeliveryRow.organization_id == organization_id, DeliveryRow.id == delivery_id)
            .with_for_update(of=DeliveryRow, skip_locked=True)
        ).one_or_none()
        if found is None or found[0].status not in {"pending", "retrying"}:
            return
        delivery, body, url, secret = found
        attempt = _post(delivery, body, url, secret.decode())
        session.add(attempt)
        succeeded = attempt.status_code is not None and 200 <= attempt.status_code < 300
        delivery.attempts = attempt.number
        delivery.status = "succeeded" if succeeded else "retrying"
        delivery.due = None if succeeded else int((time.time() + _RETRY_SECONDS) * 1000)
        delivery.finished = int(time.time() * 1000) if succeeded else None
        session.commit()
    if not succeeded:
        raise task.retry(countdown=_RETRY_SECONDS)


def _post(delivery: DeliveryRow, body: bytes, url: str, secret: str) -> AttemptRow:
    started = time.time()
    status, error, response = None, None, None
    try:
        answer = http.post(
            url, data=body, headers=_signed(delivery.event_id, body, secret), timeout=_TIMEOUT_SECONDS
        )
        status, response = answer.status_code, answer.content[:_KEPT_BYTES]
    except requests.RequestException as failure:
        error = type(failure).__name__
    return AttemptRow(
        organization_id=delivery.organization_id,
        delivery_id=delivery.id,
        number=delivery.attempts + 1,
        started=int(started * 1000),
        duration_ms=int((time.time() - started) * 1000),
        status_code=status,
        error=error,
        response=response,
    )


def _signed(event_id: str, body: bytes, secret: str) -> dict[str, str]:
    """By the rules of Standard Webhooks."""
    now = int(time.time())
    key = base64.b64decode(secret.removeprefix(_SECRET_PREFIX))
    digest = hmac.digest(key, f"{event_id}.{now}.".encode() + body, hashlib.sha256)
    return {
        "Content-Type": "application/json",
        "webhook-id": event_id,
        "webhook-timestamp": str(now),
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def fill() -> None:
    with Session(engine) as session:
        waiting = session.execute(
            select(DeliveryRow.organization_id, DeliveryRow.id).where(DeliveryRow.due.is_not(None))
        ).all()
    with app.connection_for_write() as connection, app.amqp.Producer(connection) as producer:
        for organization_id, delivery_id in waiting:
            deliver.apply_async((organization_id, delivery_id), producer=producer)


def empty() -> None:
    app.control.purge()
    with Session(engine) as session:
        session.execute(
            update(DeliveryRow).where(DeliveryRow.due.is_not(None)).values(due=None, status="cancelled")
        )
        session.commit()


if __name__ == "__main__":
    {"fill": fill, "empty": empty}[sys.argv[1]]()
