"""`steward doctor`."""

import os
import shutil
import sys
from pathlib import Path

import click
import msgspec
import uvloop

from steward.cli.base import location_options, read_settings
from steward.cli.errors import OperatorError, operator_errors
from steward.cli.with_database import opened_database
from steward.kit.runtime import clock
from steward.kit.security.encryption import Encryption
from steward.operations.doctor.actions import examine
from steward.operations.doctor.model import Circumstances, Finding, State
from steward.operations.doctor.rules import judge_disk
from steward.settings import Settings
from steward.slices import SLICES
from steward.supervisor.cluster import find_location
from steward.supervisor.data_dir import existing_secret_keys
from steward.supervisor.disk_space import NEEDED_BYTES, cluster_disk_space

_CANT_CHECK = 2
_COLOURS = {State.OK: "green", State.WARN: "yellow", State.FAIL: "red"}
_DAY_SECONDS = 86_400
# Of an API process and of a worker beside those of their pools, and for people: docs/operate/README.md says which.
_OF_API, _OF_WORKER, _OF_PEOPLE = 6, 14, 5


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@location_options
def doctor(*, as_json: bool, data_dir: str | None, database_url: str | None) -> None:
    """Say what must be true of this deployment, and whether it is. Changes nothing. Ends with 1 where something isn't."""
    try:
        settings = read_settings(data_dir=data_dir, database_url=database_url)
        findings = _examine(settings, as_json=as_json)
    except OperatorError as error:
        error.show()
        sys.exit(_CANT_CHECK)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(findings), indent=2))
    sys.exit(1 if any(finding.state is State.FAIL for finding in findings) else 0)


def _examine(settings: Settings, *, as_json: bool) -> list[Finding]:
    findings: list[Finding] = []

    def note(finding: Finding) -> None:
        findings.append(finding)
        # What is printed as a whole isn't shown piece by piece.
        if not as_json:
            _show(finding)

    # They say how their tables are cut; otherwise no partition would be missed.
    assert SLICES  # noqa: S101 (imported for what it registers)
    with operator_errors():
        encryption = Encryption(*existing_secret_keys(settings))
        with opened_database(settings, makes=False) as url:
            if settings.database_url is None and (disk := _disk(settings.data_dir)) is not None:
                note(disk)
            session_url = settings.database_listen_url or url
            uvloop.run(examine(session_url, encryption, _circumstances(settings), note))
    return findings


def _circumstances(settings: Settings) -> Circumstances:
    processes = settings.process_count(os.cpu_count() or 1)
    api = (processes + 1) * (settings.pool_size_among(processes) + _OF_API)
    return Circumstances(
        now=clock.now(),
        longest_wait_seconds=2 * int(max(settings.webhook_retry_schedule)) + _DAY_SECONDS,
        connections=api + settings.pool_size + _OF_WORKER + _OF_PEOPLE,
    )


def _disk(data_dir: Path) -> Finding | None:
    location = find_location(data_dir)
    if location is None:
        return None
    space = cluster_disk_space(location.cluster)
    return judge_disk(str(space), space.free, shutil.disk_usage(space.folder).total, NEEDED_BYTES)


def _show(finding: Finding) -> None:
    # click takes the colours out where the output is no terminal.
    colour = None if os.environ.get("NO_COLOR") else _COLOURS[finding.state]
    click.echo(f"{click.style(f'{finding.state.value:<4}', fg=colour)} {finding.sentence}")
    for line in finding.evidence:
        click.echo(f"       {line}")
