"""`steward up`: database, API and worker as one thing that starts, runs and stops together."""

import base64
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import NamedTuple

from steward.settings import Settings
from steward.supervisor.data_dir import lock_data_dir, secret_keys
from steward.supervisor.database import DatabaseServer, running_database
from steward.supervisor.disk_space import CLUSTER
from steward.supervisor.errors import UpError as UpError
from steward.supervisor.inherited_files import LISTEN_FD, METRICS_FD
from steward.supervisor.listener import (
    ListeningSockets,
    announce_when_ready,
    open_sockets,
    port_of,
    web_address,
)
from steward.supervisor.run_as import database_account, service_account
from steward.supervisor.signals import StopRequested, StopSignals
from steward.supervisor.supervisor import ChildSpec, Supervisor
from steward.supervisor.system_account import SystemAccount

# What a killed Steward left running lets go of the port once it notices, which takes it a moment.
_PORT_TIMEOUT_AFTER_CRASH = 10.0

WriteLine = Callable[[str], None]


class Service(NamedTuple):
    """What the supervisor needs to know of the service."""

    argv: Mapping[str, tuple[str, ...]]
    # Gets the database's URL, the secret key and the address that the API gets, and returns the lines to say once all is
    # ready.
    prepare: Callable[[str, Sequence[bytes], str], Sequence[str]]
    # Makes what the processes share, for the account they run as; gives the variables that tell them of it.
    shared_environment: Callable[[SystemAccount], AbstractContextManager[Mapping[str, str]]] = lambda _: (
        nullcontext({})
    )
    # Told the number of every process that ended.
    on_exit: Callable[[int], None] = lambda _: None


def up(
    settings: Settings, service: Service, *, echo: WriteLine, log: WriteLine, environment: Mapping[str, str]
) -> int:
    """Until SIGINT or SIGTERM, then returns 0; non-zero when a part kept dying. SIGHUP restarts the processes."""
    service_account(settings)  # that there is none is said before anything is made
    traversed_by = database_account(settings) if settings.database_url is None else None
    with (
        StopSignals() as stop,
        lock_data_dir(settings.data_dir, traversed_by=traversed_by) as lock,
        ExitStack() as stack,
    ):
        timeout = _PORT_TIMEOUT_AFTER_CRASH if lock.left_by_crash else 0.0
        try:
            sockets = stack.enter_context(
                open_sockets(settings, environment, timeout=timeout, pause=stop.pause, log=log)
            )
            keys = secret_keys(settings)
            database = stack.enter_context(running_database(settings, stop, log))
            with stop.interrupting():
                lines = service.prepare(database.url, keys, web_address(settings.host, sockets.api))
            account = service_account(settings)  # by now an embedded database has its owner
            shared = stack.enter_context(service.shared_environment(account))
            settled = _child_environment(settings, sockets, account, database, keys)
            specs = _child_specs(settings, service, {**environment, **shared, **settled}, sockets)
            grace = settings.shutdown_seconds
            supervisor = Supervisor(specs, log=log, grace_seconds=grace, on_exit=service.on_exit)
            with announce_when_ready(settings.host, port_of(sockets.api), lines, echo):
                return supervisor.run(stop, dependencies_ready=database.check)
        except StopRequested:
            return 0


def _child_environment(
    settings: Settings,
    sockets: ListeningSockets,
    account: SystemAccount,
    database: DatabaseServer,
    keys: Sequence[bytes],
) -> dict[str, str]:
    """What the children must not find out for themselves: it was settled here, once for all of them."""
    first, *others = (base64.b64encode(key).decode() for key in keys)
    return {
        **({} if database.cluster is None else {CLUSTER: str(database.cluster)}),
        "STEWARD_DATABASE_URL": database.url,
        "STEWARD_SECRET_KEY": first,
        **({"STEWARD_OTHER_SECRET_KEYS": ",".join(others)} if others else {}),
        "STEWARD_HOST": settings.host,
        "STEWARD_PORT": str(port_of(sockets.api)),
        "STEWARD_METRICS_ADDRESS": "off" if sockets.metrics is None else str(settings.metrics_address),
        "STEWARD_DATA_DIR": str(settings.data_dir.absolute()),
        "STEWARD_RUN_AS": account.uid_gid,
    }


def _cores() -> int:
    """The CPUs that this process may use; not every system reports them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _child_specs(
    settings: Settings, service: Service, environment: Mapping[str, str], sockets: ListeningSockets
) -> Iterator[ChildSpec]:
    processes = settings.process_count(_cores())
    connections = {"STEWARD_DATABASE_CONNECTIONS": str(settings.pool_size_among(processes))}
    for number in range(1, processes + 1):
        name = "api" if processes == 1 else f"api-{number}"
        yield ChildSpec(name, service.argv["api"], {**environment, **connections}, {LISTEN_FD: sockets.api})
    shown = {} if sockets.metrics is None else {METRICS_FD: sockets.metrics}
    yield ChildSpec("worker", service.argv["worker"], environment, shown)
