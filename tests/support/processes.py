"""Processes of the service, started as a user starts them."""

import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from tests.support.launching import clean_environment, launch, stop, wait_for_answer, wait_for_output
from tests.support.ports import free_port
from tests.support.warm_start import ForkedProcess, can_be_forked

from steward.supervisor.postgres import running_url

SECRET_KEY = "c3Rld2FyZCBpcyB0ZXN0ZWQgd2l0aCB0aGlzIGtleSE="
_SETTINGS = {
    "STEWARD_METRICS_ADDRESS": "off",
    "STEWARD_SECRET_KEY": SECRET_KEY,
    # A fast machine makes more requests in a minute than a key may by default.
    "STEWARD_KEY_REQUESTS_PER_MINUTE": "1000000",
    # No load balancer has to notice that a process of ours ends.
    "STEWARD_DRAIN_SECONDS": "0",
}


def environment(**settings: str) -> dict[str, str]:
    """That of the tests; an empty setting has its default."""
    return clean_environment(**{name: value for name, value in (_SETTINGS | settings).items() if value})


class StewardProcess:
    """One `steward …` process and its log."""

    # Every log that a process of this session has written.
    logs: ClassVar[set[Path]] = set()

    def __init__(self, log: Path, *arguments: str, **settings: str) -> None:
        self.log = log
        self.logs.add(log)
        variables = environment(**settings)
        self.process: subprocess.Popen[bytes] | ForkedProcess
        if can_be_forked(arguments, variables):
            with log.open("ab") as sink:
                self.process = ForkedProcess(arguments, variables, sink, log.parent)
        else:
            words = [sys.executable, "-m", "steward", *arguments]
            self.process = launch(words, log, variables, folder=log.parent)

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_until_says(self, text: str, times: int = 1) -> None:
        wait_for_output(self.process, self.log, text, times)

    def stop(self) -> int:
        return stop(self.process)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class ApiProcess(StewardProcess):
    def __init__(self, log: Path, database_url: str, **settings: str) -> None:
        self.port = settings.pop("STEWARD_PORT", "") or str(free_port())
        self.base_url = f"http://127.0.0.1:{self.port}"
        super().__init__(
            log,
            "api",
            STEWARD_DATABASE_URL=database_url,
            STEWARD_PORT=self.port,
            # Lets each test come from an address of its own, so that failures are counted apart.
            STEWARD_TRUSTED_PROXIES="127.0.0.1",
            **settings,
        )

    def wait_until_live(self) -> None:
        wait_for_answer(self.process, self.port, self.log, "/health/live")


class UpProcess(StewardProcess):
    """`steward up` with a database in its data directory."""

    def __init__(
        self, log: Path, data_dir: Path, *options: str, port: int | None = None, **settings: str
    ) -> None:
        self.data_dir = data_dir
        self.port = free_port() if port is None else port
        where = ("--data-dir", str(data_dir), "--port", str(self.port))
        super().__init__(log, "up", *options, *where, **settings)

    def wait_until_ready(self) -> None:
        self.wait_until_says("Steward is ready")

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def database_url(self) -> str:
        url = running_url(self.data_dir)
        assert url is not None
        return url
