"""One coordinator and its workers, each a server of its own on this machine, in a folder that goes with them."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.launching import launch, stop
from tests.support.ports import free_port
from tests.support.waiting import NotReadyError, wait_for

from steward.supervisor.system_account import SystemAccount, unprivileged_account

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
        self._programs, self._folder = programs, folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self._environment, self._identity = dict(os.environ), dict[str, Any]()
        if not account.is_current:
            # PostgreSQL doesn't run as root, nor may it read root's home.
            self._environment["HOME"] = str(folder)
            self._identity = {"user": account.uid, "group": account.gid, "extra_groups": []}

    def start(self) -> None:
        data = self._folder / "data"
        self._run("initdb", "--auth=trust", "--username=steward", "--encoding=UTF8", "--locale=C", str(data))
        configuration = _CONFIG | {"port": str(self.port)}
        if self._knows_output_plugins():
            configuration["output_plugin_libraries"] = "'pgoutput, test_decoding, citus'"
        with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in configuration.items())
        words = [str(self._programs / "postgres"), "-D", str(data)]
        self._process = launch(words, self._folder / "log", self._environment, **self._identity)
        wait_for("an answer of a server of the cluster", self._answers)

    def stop(self) -> None:
        if self._process is not None:
            stop(self._process)

    def run_sql(self, database: str, *commands: str) -> None:
        arguments = [part for command in commands for part in ("-c", command)]
        self._run("psql", "-qX", "-v", "ON_ERROR_STOP=1", *self._address(), "-d", database, *arguments)

    def _knows_output_plugins(self) -> bool:
        return "output_plugin_libraries" in self._run("postgres", "--describe-config")

    def _answers(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise NotReadyError(f"a server of the cluster doesn't start: {self._folder / 'log'}")
        command = [str(self._programs / "pg_isready"), "-q", *self._address()]
        return subprocess.run(command, check=False).returncode == 0

    def _address(self) -> tuple[str, ...]:
        return ("-h", "127.0.0.1", "-p", str(self.port), "-U", "steward")

    def _run(self, program: str, *arguments: str) -> str:
        command = [str(self._programs / program), *arguments]
        done: subprocess.CompletedProcess[str] = subprocess.run(
            command, check=False, capture_output=True, text=True, env=self._environment, **self._identity
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr.strip()}")
        return done.stdout


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
