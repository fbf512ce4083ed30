"""A deployment whose PostgreSQL logs every statement."""

from contextlib import suppress
from pathlib import Path

from tests.support import deployment
from tests.support.databases import fetch
from tests.support.organizations import Organization
from tests.support.waiting import wait_for

from steward.kit.domain.problems import Unavailable

RECORDING = {"log_statement": "all", "log_line_prefix": "%m [%p] %u ", "shared_buffers": "32MB"}


class Deployment(deployment.Deployment):
    def __init__(self, directory: Path) -> None:
        super().__init__(directory, RECORDING, STEWARD_WORKER_STALE_SECONDS="5")

    def start_postgres(self) -> None:
        super().start_postgres()
        # A role of its own, so that the log separates its statements from those of requests.
        fetch(self.database_url, "CREATE ROLE worker SUPERUSER LOGIN")

    @property
    def worker_url(self) -> str:
        return self.database_url.replace("//steward@", "//worker@")

    def new_organization(self) -> Organization:
        """After a fault, processes take a moment until they confirm changes again; until then they answer 503."""

        def created() -> Organization | None:
            with suppress(Unavailable):
                return Organization(self.api.base_url, self.database_url, "Enterprise")
            return None

        return wait_for("an organization", created)
