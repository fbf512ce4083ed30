"""`steward up`: database, API and worker as one thing that starts, runs and stops together."""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence

from steward.settings import Settings
from steward.supervisor.children import ChildSpec, Supervisor
from steward.supervisor.data_dir import claim, secret_key
from steward.supervisor.database import running_database
from steward.supervisor.errors import UpError as UpError
from steward.supervisor.listening import announcing, free_port
from steward.supervisor.signals import StopRequested, StopSignals

# What a killed Steward left running lets go of the port once it notices, which takes it a moment.
_PATIENCE_AFTER_A_CRASH = 10.0

Say = Callable[[str], None]


def up(
    settings: Settings,
    *,
    prepare: Callable[[str, bytes], Sequence[str]],
    child_argv: Mapping[str, tuple[str, ...]],
    echo: Say,
    log: Say,
    environment: Mapping[str, str],
) -> int:
    """Runs until SIGINT or SIGTERM and returns 0; non-zero when a part kept dying.

    `prepare` gets the database's URL and the secret key, and returns the lines to say once all is ready.
    """
    with StopSignals() as stop, claim(settings.data_dir) as lock:
        try:
            patience = _PATIENCE_AFTER_A_CRASH if lock.left_by_a_crash else 0.0
            port = free_port(settings.host, settings.port, patience=patience, pause=stop.pause)
            key = secret_key(settings)
            with running_database(settings, stop, log) as database:
                with stop.interrupting():
                    lines = prepare(database.url, key)
                handed_down = {**environment, **_decided(settings, port, database.url, key)}
                specs = _child_specs(settings.api_processes, child_argv, handed_down)
                supervisor = Supervisor(specs, log=log, grace_seconds=settings.shutdown_seconds)
                with announcing(settings.host, port, lines, echo):
                    return supervisor.run(stop, each_turn=database.check)
        except StopRequested:
            return 0


def _decided(settings: Settings, port: int, database_url: str, key: bytes) -> dict[str, str]:
    """What the children must not find out for themselves: it was settled here, once for all of them."""
    return {
        "STEWARD_DATABASE_URL": database_url,
        "STEWARD_SECRET_KEY": base64.b64encode(key).decode(),
        "STEWARD_HOST": settings.host,
        "STEWARD_PORT": str(port),
        "STEWARD_DATA_DIR": str(settings.data_dir.absolute()),
    }


def _child_specs(
    api_processes: int, argv: Mapping[str, tuple[str, ...]], environment: Mapping[str, str]
) -> Iterator[ChildSpec]:
    for number in range(1, api_processes + 1):
        name = "api" if api_processes == 1 else f"api-{number}"
        yield ChildSpec(name, argv["api"], environment)
    yield ChildSpec("worker", argv["worker"], environment)
