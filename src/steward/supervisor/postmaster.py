"""Recognises the server process of a cluster, so that a process number is never trusted by itself."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlencode

from steward.supervisor.cluster import DATABASE, ROLE
from steward.supervisor.postgres_config import PORT

_PROCESSES = Path("/proc")


class Postmaster(NamedTuple):
    """A live server, as its `postmaster.pid` and the kernel agree on it."""

    pid: int
    socket_folder: Path | None
    status: str

    @property
    def url(self) -> str | None:
        """None until it is ready."""
        if self.status != "ready" or self.socket_folder is None:
            return None
        # With the port: a PGPORT in the environment would otherwise send the driver to another socket.
        query = urlencode({"host": str(self.socket_folder), "port": PORT}, quote_via=quote)
        return f"postgresql://{ROLE}@/{DATABASE}?{query}"


def postmaster_of(cluster: Path) -> Postmaster | None:
    """The server that runs on this cluster folder, None when none does."""
    try:
        # Lines: pid, folder, start time, port, socket folder, address, shared memory, status. The server adds
        # them one by one while it starts.
        lines = [line.strip() for line in (cluster / "postmaster.pid").read_text().splitlines()]
    except FileNotFoundError:
        return None
    lines += [""] * (8 - len(lines))
    if not lines[0].isdigit() or not is_postmaster(int(lines[0]), cluster):
        return None
    return Postmaster(int(lines[0]), Path(lines[4]) if lines[4] else None, lines[7])


def is_postmaster(pid: int, cluster: Path) -> bool:
    """False for a backend, for another cluster's server and for a process that reuses the PID of a dead one."""
    return _is_started_as_server(pid) and _has_working_folder(pid, cluster)


def backend_pids(cluster: Path) -> list[int]:
    """All but the postmaster. Those that outlived theirs hold the shared memory a new server needs."""
    server = postmaster_of(cluster)
    pids = (int(entry.name) for entry in _PROCESSES.glob("[0-9]*"))
    return [
        pid
        for pid in pids
        if _is_postgres(pid) and _has_working_folder(pid, cluster) and (not server or pid != server.pid)
    ]


def signal_backends(cluster: Path, how: signal.Signals) -> None:
    for pid in backend_pids(cluster):
        with suppress(ProcessLookupError):
            os.kill(pid, how)


def remove_stale_lock_files(cluster: Path, socket_folder: Path) -> None:
    """Removes the notes of a server that is gone; should its number be someone else's now, none would start.

    Only the owner of the cluster's lock may do so, and only where the kernel can tell that it is gone.
    """
    if _PROCESSES.is_dir() and postmaster_of(cluster) is None:
        (cluster / "postmaster.pid").unlink(missing_ok=True)
        for note in socket_folder.glob(".s.PGSQL.*.lock"):
            note.unlink()


def _is_started_as_server(pid: int) -> bool:
    program, *arguments = _command_line(pid)
    return program.rpartition(b"/")[2] == b"postgres" and b"-D" in arguments


def _is_postgres(pid: int) -> bool:
    # A backend writes its doings over the arguments it inherits; one that is just dying has lost them, but may
    # still hold its memory. An operator's shell in the folder is none of these.
    program = _command_line(pid)[0]
    return not program or program.startswith(b"postgres: ") or _is_started_as_server(pid)


def _command_line(pid: int) -> list[bytes]:
    try:
        return (_PROCESSES / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return [b""]


def _has_working_folder(pid: int, folder: Path) -> bool:
    try:
        return (_PROCESSES / str(pid) / "cwd").samefile(folder)
    except OSError:
        # Gone meanwhile, a zombie, or someone else's: in no case a server of ours.
        return False
