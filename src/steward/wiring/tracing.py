"""What is put around the parts of a process where traces are wanted; where they aren't, nothing is, and nothing costs anything."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from steward.ingest.batch_writer import BatchWriter
from steward.kit.db.connection import DatabaseConnection
from steward.kit.jobs.runner import Job
from steward.webhook_delivery.dispatch import Send

# Whatever answers requests: a worker does without all that it is made of.
A = TypeVar("A", bound=Callable[..., Any])


class Tracing:
    """Leaves everything as it is."""

    connection_class: type[DatabaseConnection] = DatabaseConnection
    batch_writer: type[BatchWriter] = BatchWriter
    # Called with every answer instead of the access log, which it calls.
    observe: Callable[..., None] | None = None

    def app(self, app: A) -> A:
        return app

    def jobs(self, jobs: Sequence[Job]) -> Sequence[Job]:
        return jobs

    def attempts(self, send: Send) -> Send:
        return send

    async def stop(self, seconds: float) -> None:
        """Sends what is left, for no longer than that."""


UNTRACED = Tracing()
