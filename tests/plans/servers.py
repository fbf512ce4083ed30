"""PostgreSQL of another version than the embedded one, where it is installed."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_INSTALLED = Path("/usr/lib/postgresql")
# It doesn't run as root.
_ACCOUNT = "postgres"


def programs_of(version: int) -> Path | None:
    """Where its programs are, if it is here and there is somebody who may run it."""
    directory = _INSTALLED / str(version) / "bin"
    return directory if (directory / "initdb").exists() and _account() is not None else None


def _account() -> str | None:
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid()).pw_name
    try:
        return pwd.getpwnam(_ACCOUNT).pw_name
    except KeyError:
        return None


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """The URL of its database `steward`, which is empty; what is written to it isn't kept."""
    account = _account()
    directory = Path(tempfile.mkdtemp(prefix="steward-plans-"))
    if account is not None:
        shutil.chown(directory, account)
    data, options = (
        directory / "data",
        f"-c listen_addresses= -c unix_socket_directories={directory} -c fsync=off",
    )
    options += (
        " -c full_page_writes=off -c synchronous_commit=off -c autovacuum=off -c maintenance_work_mem=256MB"
    )

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [programs / program, *arguments],
            check=True,
            user=account,
            cwd=directory,
            stdout=subprocess.DEVNULL,
        )

    try:
        run("initdb", "-D", str(data), "-U", "steward", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        run("pg_ctl", "-D", str(data), "-l", str(directory / "log"), "-o", options, "-w", "start")
        try:
            run("createdb", "-h", str(directory), "-U", "steward", "steward")
            yield f"postgresql://steward@/steward?host={directory}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
