"""`steward backup` and `steward restore`."""

import os
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import IO

import click
import uvloop

from steward.cli.base import with_settings
from steward.cli.errors import OperatorError, operator_errors
from steward.cli.passwords import password_file_option, read_password
from steward.cli.progress import ProgressLine
from steward.cli.with_database import opened_database
from steward.kit.runtime import clock
from steward.operations.backup.actions import Written, write_backup
from steward.operations.backup.archive import Key, SealedBackup
from steward.operations.backup.model import MEBIBYTE
from steward.operations.backup.restoring import CheckedBackup, check_backup, restore_backup
from steward.operations.backup.sealed import read_identities, read_recipients
from steward.settings import Settings
from steward.supervisor.binaries import embedded_programs
from steward.supervisor.cluster import find_location
from steward.supervisor.data_dir import (
    existing_secret_keys,
    install_secret_keys,
    key_file,
    refuse_other_keys,
)
from steward.wiring.schema import migrate

# Shorter ones can be guessed by someone who has the file.
_SHORTEST_PASSPHRASE = 12

_FILE = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
_PASSPHRASE = password_file_option("--passphrase-file", "the passphrase")


@click.command()
@_FILE
@_PASSPHRASE
@click.option(
    "--recipient",
    "recipients",
    multiple=True,
    metavar="AGE1…",
    help="Seal for this public key of age instead of by a passphrase; may be given several times.",
)
@with_settings
def backup(
    settings: Settings, file: Path, passphrase_file: IO[str] | None, recipients: tuple[str, ...]
) -> None:
    """Write the whole database, as it is at this moment, and the secret key into FILE, sealed with age."""
    if os.path.lexists(file):
        raise OperatorError(f"{file} exists already; a backup overwrites nothing")
    with operator_errors():
        keys = existing_secret_keys(settings)
        seal = _seal(passphrase_file, recipients)
    with (
        operator_errors(),
        opened_database(settings, makes=False) as url,
        closing(ProgressLine("backup")) as line,
    ):
        written: Written = uvloop.run(
            write_backup(
                settings.database_listen_url or url,
                file,
                seal,
                keys,
                line,
                programs=embedded_programs(),
                now=clock.now(),
            )
        )
    for name in written.left_out:
        click.echo(f"left out: {name}, which is not part of Steward", err=True)
    click.echo(
        f"{file}: {written.manifest.all_rows:,} rows of {len(written.manifest.rows)} tables{' and the secret key' if keys else ''}, "
        f"{written.size / MEBIBYTE:,.1f} MiB"
    )


def _seal(passphrase_file: IO[str] | None, recipients: tuple[str, ...]) -> Key:
    if recipients and passphrase_file is not None:
        raise OperatorError("give --recipient or --passphrase-file, not both")
    if recipients:
        return Key(read_recipients(recipients))
    passphrase = read_password(passphrase_file, None, option="--passphrase", called="passphrase")
    if len(passphrase) < _SHORTEST_PASSPHRASE:
        raise OperatorError(f"the passphrase must have at least {_SHORTEST_PASSPHRASE} characters")
    return Key(passphrase=passphrase)


@click.command()
@_FILE
@_PASSPHRASE
@click.option(
    "--identity-file",
    type=click.File(encoding="utf-8"),
    help="The private key of age, for a backup that is sealed for recipients; - reads standard input.",
)
@click.option(
    "--secret-key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to put the secret key, instead of secret.key in the data directory.",
)
@with_settings
def restore(
    settings: Settings,
    file: Path,
    passphrase_file: IO[str] | None,
    identity_file: IO[str] | None,
    secret_key_file: Path | None,
) -> None:
    """Restore a backup into an empty database, and its secret key with it."""
    if not file.is_file():
        raise OperatorError(f"there is no file {file}")
    with operator_errors():
        # All of it is read, before anything is created.
        checked = check_backup(_opened(file, passphrase_file, identity_file))
        if settings.secret_key is not None and settings.secret_key not in checked.secret_keys:
            raise OperatorError(
                "STEWARD_SECRET_KEY is another key than the backup's: unset it for this command, and take the backup's then"
            )
        if settings.secret_key is None or secret_key_file is not None:
            refuse_other_keys(secret_key_file or key_file(settings), checked.secret_keys)
        existed = settings.database_url is not None or find_location(settings.data_dir) is not None
        with opened_database(settings, makes=True) as url, closing(ProgressLine("restore")) as line:
            uvloop.run(_restore(settings, url, checked, line, secret_key_file))
    manifest = checked.manifest
    click.echo(
        f"{file}: restored {manifest.all_rows:,} rows of {len(manifest.rows)} tables, counted in each table"
    )
    if not existed:
        click.echo(f"the database was created in {settings.data_dir}", err=True)


def _opened(file: Path, passphrase_file: IO[str] | None, identity_file: IO[str] | None) -> SealedBackup:
    if identity_file is not None:
        return SealedBackup(file, read_identities(identity_file.read()))
    passphrase = read_password(
        passphrase_file, None, option="--passphrase", called="passphrase", asked_twice=False
    )
    return SealedBackup(file, passphrase=passphrase)


async def _restore(
    settings: Settings, url: str, checked: CheckedBackup, line: ProgressLine, key_file: Path | None
) -> None:
    session_url = settings.database_listen_url or url
    place_keys = partial(_place_keys, settings, key_file)
    distribute = await restore_backup(session_url, checked, line, place_keys, programs=embedded_programs())
    line.close()
    for name in await migrate(url, settings.database_listen_url, distribute=distribute):
        click.echo(f"migrated {name}", err=True)


def _place_keys(settings: Settings, file: Path | None, keys: Sequence[bytes]) -> None:
    if not keys or (settings.secret_key is not None and file is None):
        return
    path = file or key_file(settings)
    if install_secret_keys(path, keys):
        click.echo(f"the secret key is in {path}", err=True)
    if file is not None:
        click.echo(f"set STEWARD_SECRET_KEY to what is in {file}", err=True)
