"""A real PgBouncer before the embedded server: a process of its own on a free loopback port."""

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.support.launching import Stoppable
from tests.support.ports import free_port
from tests.support.waiting import limit, wait_for

PGBOUNCER = os.environ.get("STEWARD_PGBOUNCER") or shutil.which(
    "pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin"
)
# The first that knows prepared statements in transaction mode.
PREPARED_STATEMENTS = (1, 21)

PoolMode = Literal["session", "transaction"]


def pgbouncer_version() -> tuple[int, int]:
    """Skips where there is none, unless there has to be one."""
    if PGBOUNCER is None:
        missing = "PgBouncer is not installed: make pooler, or STEWARD_PGBOUNCER=path"
        if os.environ.get("STEWARD_TEST_POOLER") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    said = subprocess.run([PGBOUNCER, "--version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"PgBouncer (\d+)\.(\d+)", said)
    assert found is not None, said
    return int(found[1]), int(found[2])


def require_pgbouncer(*, prepared_statements: bool = False) -> None:
    version = pgbouncer_version()
    if prepared_statements and version < PREPARED_STATEMENTS:
        pytest.skip(
            f"PgBouncer {version[0]}.{version[1]} knows no prepared statements: STEWARD_PGBOUNCER=path of 1.21 or newer"
        )


class PgBouncer(Stoppable):
    """Before the server that a URL of ours names."""

    def __init__(self, folder: Path, database_url: str, mode: PoolMode, **settings: str) -> None:
        assert PGBOUNCER is not None
        parts = urlsplit(database_url)
        query = parse_qs(parts.query)
        host, port = query["host"][0], query["port"][0]
        self.port = free_port()
        self.url = f"postgresql://{parts.username}@127.0.0.1:{self.port}{parts.path}"
        folder.mkdir()
        self._log = folder / "pgbouncer.log"
        (folder / "users.txt").write_text(f'"{parts.username}" ""\n', encoding="utf-8")
        lines = {
            "listen_addr": "127.0.0.1",
            "listen_port": str(self.port),
            "unix_socket_dir": "",
            "auth_type": "any",
            "auth_file": str(folder / "users.txt"),
            "logfile": str(self._log),
            "pool_mode": mode,
            "max_client_conn": "500",
            **settings,
        }
        config = folder / "pgbouncer.ini"
        # Stands for the settings of a role of its own, which docs/operate has; here all tests share one.
        deadlines = "SET statement_timeout = ''30s''; SET idle_in_transaction_session_timeout = ''10s''"
        config.write_text(
            f"[databases]\n* = host={host} port={port} user={parts.username} connect_query='{deadlines}'\n[pgbouncer]\n"
            + "".join(f"{name} = {value}\n" for name, value in lines.items()),
            encoding="utf-8",
        )
        self._process = subprocess.Popen([PGBOUNCER, "-q", *self._owned(folder, Path(host)), str(config)])
        wait_for("an answer of PgBouncer", self._answers)

    def _owned(self, folder: Path, host: Path) -> list[str]:
        """Root may not run it; the one who owns the server's socket may use that."""
        if os.geteuid() != 0:
            return []
        owner = host.owner()
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, owner)
        for parent in folder.parents:
            if parent.stat().st_uid == 0 and parent != Path("/"):
                parent.chmod(parent.stat().st_mode | 0o001)
        return ["-u", owner]

    def _answers(self) -> bool:
        assert self._process.poll() is None, "PgBouncer ended"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    @property
    def said(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(limit(60))
