"""The service that the tests of a process share.

It is started for them, or it runs already: then `STEWARD_TEST_SERVICE_URL` says where, and `STEWARD_TEST_SERVICE_DATABASE_URL` over which database.
"""

import os
from pathlib import Path

import httpx
from tests.support.ports import free_port
from tests.support.processes import ApiProcess, StewardProcess

ADDRESS_VARIABLE = "STEWARD_TEST_SERVICE_URL"
DATABASE_VARIABLE = "STEWARD_TEST_SERVICE_DATABASE_URL"


class Service:
    """A database with an API process and a worker over it."""

    def __init__(self, directory: Path, database_url: str, **settings: str) -> None:
        self.directory = directory
        self.database_url = database_url
        self._metrics = [f"127.0.0.1:{free_port()}" for _ in range(2)]
        self.worker = StewardProcess(
            directory / "worker.log",
            "worker",
            STEWARD_DATABASE_URL=database_url,
            STEWARD_METRICS_ADDRESS=self._metrics[0],
            **settings,
        )
        self._more: list[ApiProcess] = []
        self.api = ApiProcess(
            directory / "api.log", database_url, STEWARD_METRICS_ADDRESS=self._metrics[1], **settings
        )
        self.base_url = self.api.base_url
        try:
            self.api.wait_until_live()
        except BaseException:
            self.stop()
            raise

    def another_api(self, **settings: str) -> ApiProcess:
        """A second API process over the same database; ended with the test that asked for it."""
        process = ApiProcess(self.directory / f"api-{len(self._more) + 2}.log", self.database_url, **settings)
        self._more.append(process)
        process.wait_until_live()
        return process

    def metrics(self) -> str:
        """What the API process and the worker show."""
        return "".join(httpx.get(f"http://{address}/metrics").text for address in self._metrics)

    def stop_others(self) -> None:
        while self._more:
            self._more.pop().stop()

    def stop(self) -> None:
        self.stop_others()
        self.api.stop()
        self.worker.stop()


class ServiceElsewhere(Service):
    """One that somebody else has started, as a guide says, and will stop; for tests that only speak to it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.base_url = os.environ[ADDRESS_VARIABLE]
        self.database_url = os.environ[DATABASE_VARIABLE]
        self._more = []

    def metrics(self) -> str:
        return ""

    def stop(self) -> None:
        self.stop_others()
