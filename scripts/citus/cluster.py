"""One coordinator and its workers, each a server of its own on this machine, in a folder that goes with them."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steward.supervisor.system_account import SystemAccount, unprivileged_account

_START_SECONDS = 60

# `output_plugin_libraries` came with a security release of PostgreSQL: without it shards can't be moved online there, and
# servers from before it don't know it.
_CONFIG = {
    "shared_preload_libraries": "'citus'",
    "listen_addresses": "'127.0.0.1'",
    "unix_socket_directories": "''",
    "shared_buffers": "'96MB'",
    "max_connections": "300",
    "max_prepared_transactions": "300",
    "max_worker_processes": "32",
    "max_wal_senders": "20",
    "max_replication_slots": "20",
    "max_locks_per_transaction": "512",
    "wal_level": "'logical'",
    "jit": "off",
    "timezone": "'UTC'",
    "citus.shard_count": "8",
    "citus.node_conninfo": "'sslmode=disable'",
    "citus.enable_statistics_collection": "off",
    "citus.max_cached_conns_per_worker": "2",
    # What a test makes is seldom worth a disk's time, and goes with its folder.
    "fsync": "off",
}


class Node:
    """One server."""

    def __init__(self, programs: Path, folder: Path, account: SystemAccount) -> None:
        self._programs, self._folder, self._account = programs, folder, account
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()

    def start(self) -> None:
        data = self._folder / "data"
        self._run("initdb", "--auth=trust", "--username=steward", "--encoding=UTF8", "--locale=C", str(data))
        configuration = _CONFIG | {"port": str(self.port)}
        if self._knows_output_plugins():
            configuration["output_plugin_libraries"] = "'pgoutput, test_decoding, citus'"
        with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in configuration.items())
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", data], stdout=log, stderr=log, **self._identity()
            )
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError(f"a server of the cluster doesn't start: {self._folder / 'log'}")
            time.sleep(0.1)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def run_sql(self, database: str, *commands: str) -> None:
        arguments = [part for command in commands for part in ("-c", command)]
        self._run("psql", "-qX", "-v", "ON_ERROR_STOP=1", *self._address(), "-d", database, *arguments)

    def _knows_output_plugins(self) -> bool:
        named = subprocess.run(
            [self._programs / "postgres", "--describe-config"],
            check=False,
            capture_output=True,
            text=True,
            **self._identity(),
        )
        return "output_plugin_libraries" in named.stdout

    def _answers(self) -> bool:
        command = [str(self._programs / "pg_isready"), "-q", *self._address()]
        return subprocess.run(command, check=False).returncode == 0

    def _address(self) -> tuple[str, ...]:
        return ("-h", "127.0.0.1", "-p", str(self.port), "-U", "steward")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(
            command,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            **self._identity(),
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.strip()}")

    def _identity(self) -> dict[str, Any]:
        """PostgreSQL doesn't run as root, nor may it look into root's home."""
        if self._account.is_current:
            return {}
        environment = {**os.environ, "HOME": str(self._folder)}
        return {"user": self._account.uid, "group": self._account.gid, "extra_groups": [], "env": environment}


@contextlib.contextmanager
def running_cluster(programs: Path, folder: Path, *, workers: int = 2) -> Iterator[str]:
    """The URL of the coordinator's first database, which knows its workers."""
    account = unprivileged_account()
    nodes = []
    for number in range(workers + 1):
        place = folder / f"node-{number}"
        place.mkdir(parents=True)
        if not account.is_current:
            os.chown(place, account.uid, account.gid)
        nodes.append(Node(programs, place, account))
    try:
        for node in nodes:
            node.start()
            node.run_sql("postgres", "CREATE DATABASE steward")
            node.run_sql("steward", "CREATE EXTENSION citus")
        coordinator, *others = nodes
        coordinator.run_sql(
            "steward",
            f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator.port})",
            *(f"SELECT citus_add_node('127.0.0.1', {node.port})" for node in others),
        )
        yield f"postgresql://steward@127.0.0.1:{coordinator.port}/steward"
    finally:
        for node in nodes:
            node.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
