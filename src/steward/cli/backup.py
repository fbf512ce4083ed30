"""`steward backup` and `steward restore`."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import IO, Any

import click
import uvloop

from steward.cli.base import location_options, read_settings
from steward.cli.errors import OperatorError, operator_errors
from steward.cli.passwords import read_password
from steward.cli.progress import MEBIBYTE, ProgressLine
from steward.cli.with_database import opened_database
from steward.kit.runtime import clock
from steward.operations.backup.actions import Written, write_backup
from steward.operations.backup.restoring import CheckedBackup, check_backup, restore_backup
from steward.settings import Settings
from steward.supervisor.cluster import find_location
from steward.supervisor.data_dir import (
    existing_secret_keys,
    install_secret_keys,
    key_file,
    refuse_other_keys,
)
from steward.wiring.schema import migrate

# Shorter ones are found by trying, by whoever has the file.
_SHORTEST_PASSPHRASE = 12

_FILE = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


def _passphrase_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--passphrase-file",
        type=click.File(encoding="utf-8"),
        help="Its first line is the passphrase; - reads standard input. Otherwise it is asked for on the terminal.",
    )(command)


@click.command()
@_FILE
@_passphrase_option
@location_options
def backup(
    file: Path, passphrase_file: IO[str] | None, data_dir: str | None, database_url: str | None
) -> None:
    """Write the whole database, as it is at this moment, and the secret key into FILE, sealed by a passphrase."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    if os.path.lexists(file):
        raise OperatorError(f"{file} exists already; a backup overwrites nothing")
    with operator_errors():
        keys = existing_secret_keys(settings)
    passphrase = read_password(passphrase_file, None, option="--passphrase", called="passphrase")
    if len(passphrase) < _SHORTEST_PASSPHRASE:
        raise OperatorError(f"the passphrase must have at least {_SHORTEST_PASSPHRASE} characters")
    with (
        operator_errors(),
        opened_database(settings, makes=False) as url,
        closing(ProgressLine("backup")) as line,
    ):
        session_url = settings.database_listen_url or url
        written: Written = uvloop.run(
            write_backup(session_url, file, passphrase, keys, line, now=clock.now())
        )
    for table in written.left_out:
        click.echo(f"left out: {table}, which is no table of Steward", err=True)
    click.echo(
        f"{file}: {written.totals.all_rows:,} rows of {len(written.totals.rows)} tables{' and the secret key' if keys else ''}, "
        f"{written.size / MEBIBYTE:,.1f} MiB"
    )


@click.command()
@_FILE
@_passphrase_option
@click.option(
    "--secret-key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to put the secret key, instead of secret.key in the data directory.",
)
@location_options
def restore(
    *,
    file: Path,
    passphrase_file: IO[str] | None,
    secret_key_file: Path | None,
    data_dir: str | None,
    database_url: str | None,
) -> None:
    """Bring a backup back into an empty database, and its secret key with it."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    if not file.is_file():
        raise OperatorError(f"there is no file {file}")
    passphrase = read_password(
        passphrase_file, None, option="--passphrase", called="passphrase", asked_twice=False
    )
    with operator_errors():
        # Whole and of this passphrase, before anything is made.
        checked = check_backup(file, passphrase)
        _refuse_other_key(settings, checked)
        if settings.secret_key is None or secret_key_file is not None:
            refuse_other_keys(secret_key_file or key_file(settings), checked.contents.secret_keys)
        existed = settings.database_url is not None or find_location(settings.data_dir) is not None
        with opened_database(settings, makes=True) as url, closing(ProgressLine("restore")) as line:
            uvloop.run(_restore(settings, url, checked, line, secret_key_file))
    rows, tables = checked.totals.all_rows, len(checked.totals.rows)
    click.echo(
        f"{file}: {rows:,} rows of {tables} tables are back, every table with as many as were backed up"
    )
    if not existed:
        click.echo(f"the database was made in {settings.data_dir}", err=True)


async def _restore(
    settings: Settings, url: str, checked: CheckedBackup, line: ProgressLine, key_file: Path | None
) -> None:
    session_url = settings.database_listen_url or url
    await restore_backup(session_url, checked, line, partial(_place_keys, settings, key_file))
    line.close()
    for name in await migrate(url, settings.database_listen_url):
        click.echo(f"migrated {name}", err=True)


def _refuse_other_key(settings: Settings, checked: CheckedBackup) -> None:
    if settings.secret_key is not None and settings.secret_key not in checked.contents.secret_keys:
        raise OperatorError(
            "STEWARD_SECRET_KEY is another key than the backup's: unset it for this command, and take the backup's then"
        )


def _place_keys(settings: Settings, file: Path | None, keys: Sequence[bytes]) -> None:
    if not keys or (settings.secret_key is not None and file is None):
        return
    path = file or key_file(settings)
    if install_secret_keys(path, keys):
        click.echo(f"the secret key is in {path}", err=True)
    if file is not None:
        click.echo(f"set STEWARD_SECRET_KEY to what is in {file}", err=True)
