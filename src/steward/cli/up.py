"""`steward up`: everything at once."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
import uvloop

from steward.cli.base import listening_options, with_settings
from steward.cli.errors import operator_errors
from steward.cli.tracing import require_otel
from steward.demo.people import LOGINS
from steward.demo.seed import Demo, seed_demo
from steward.kit.runtime.log import log
from steward.kit.runtime.metrics_server import SHARED_DIRECTORY, forget_process
from steward.settings import Settings
from steward.supervisor.filesystem import ensure_private_folder, shared_memory_folder
from steward.supervisor.system_account import SystemAccount
from steward.supervisor.up import Service
from steward.supervisor.up import up as run
from steward.wiring.organization_defaults import install_organization_defaults
from steward.wiring.schema import migrate


@click.command()
@listening_options
@with_settings
@click.option(
    "--demo",
    is_flag=True,
    help="Fill a demo organization, print how to use it, and play its devices and people.",
)
@click.option(
    "--allow-local-webhooks",
    "webhook_allow_local",
    is_flag=True,
    default=None,
    help="Let webhooks use http and private addresses, for trying things on one's own machine.",
)
def up(settings: Settings, *, demo: bool) -> None:
    """Start everything: database, migrations, API, web app and worker."""
    played: dict[str, str] = {}

    def prepare(url: str, secret_keys: Sequence[bytes], address: str) -> Sequence[str]:
        lines, made = uvloop.run(_prepare(settings, url, secret_keys, address, demo=demo))
        if made is not None:
            played["STEWARD_DEMO_ORGANIZATION"] = made.organization_id
        return lines

    local = {"STEWARD_WEBHOOK_ALLOW_LOCAL": "on" if settings.webhook_allow_local else "off"}
    # In memory: on the database's volume, which may be full, writing to a mapped file would kill a process.
    metrics_folder = shared_memory_folder(settings.data_dir)
    with operator_errors():
        require_otel(settings)
        service = Service(
            argv={part: (sys.executable, "-m", "steward", part) for part in ("api", "worker")},
            prepare=prepare,
            shared_environment=partial(_shared_environment, metrics_folder, played),
            on_exit=partial(forget_process, str(metrics_folder)),
        )
        code = run(settings, service, echo=click.echo, log=log.info, environment={**os.environ, **local})
    sys.exit(code)


async def _prepare(
    settings: Settings, url: str, secret_keys: Sequence[bytes], address: str, *, demo: bool
) -> tuple[list[str], Demo | None]:
    for name in await migrate(url, settings.database_listen_url):
        log.info("migrated", file=name)
    lines = ["", f"Steward is ready at {address}/app", f"API reference: {address}/docs"]
    lines.append("On another port: steward up --port 8080, or make run PORT=8080")
    made = None
    if demo:
        session_url = settings.database_listen_url or url
        made = await seed_demo(session_url, secret_keys, settings.data_dir, install_organization_defaults)
        lines += _demo_lines(address, made)
    return [*lines, ""], made


def _demo_lines(address: str, demo: Demo) -> list[str]:
    """The three variables are those of every example in the docs."""
    return [
        f"Log in as {demo.email} with the password {demo.password}",
        f"  or, with the same password, as {', '.join(person.email for person in LOGINS[1:])}",
        f"API key: {demo.api_key}",
        "Try it:",
        f"  export STEWARD_URL={address} STEWARD_ORG={demo.organization_id}",
        f"  export STEWARD_API_KEY={demo.api_key}",
        '  curl -H "X-API-Key: $STEWARD_API_KEY" "$STEWARD_URL/organizations/$STEWARD_ORG/work-orders"',
    ]


@contextmanager
def _shared_environment(
    folder: Path, played: Mapping[str, str], account: SystemAccount
) -> Iterator[Mapping[str, str]]:
    """The folder where the processes leave their metrics for the one that shows them, fresh at every start; and the demo
    that the worker plays, where there is one."""
    shutil.rmtree(folder, ignore_errors=True)
    ensure_private_folder(folder, account)
    try:
        yield {SHARED_DIRECTORY: str(folder), **played}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
