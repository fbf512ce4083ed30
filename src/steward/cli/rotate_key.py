"""`steward rotate-key`."""

import click
import uvloop

from steward.cli.base import with_settings
from steward.cli.errors import OperatorError, operator_errors
from steward.cli.with_database import opened_database
from steward.kit.security.encryption import Encryption
from steward.operations.secrets.actions import reseal
from steward.settings import Settings
from steward.supervisor.data_dir import existing_secret_keys, key_file, new_secret_key, write_key_file
from steward.supervisor.errors import InUseError
from steward.wiring.schema import require_migrated


@click.command("rotate-key")
@click.option(
    "--new",
    "makes",
    is_flag=True,
    help="First make a new key in the data directory, while nothing runs over it.",
)
@click.option(
    "--forget",
    "forgets",
    is_flag=True,
    help="Afterwards drop the older keys from the data directory. Cursors that they signed end with them.",
)
@with_settings
def rotate_key(settings: Settings, *, makes: bool, forgets: bool) -> None:
    """Seal all stored secrets anew by the present secret key. Works beside a running server that knows both keys."""
    if (makes or forgets) and settings.secret_key is not None:
        raise OperatorError(
            "--new and --forget are for the key in the data directory, but STEWARD_SECRET_KEY is set: change that instead"
        )
    with operator_errors():
        keys = existing_secret_keys(settings)
        if makes:
            keys = (_new_key(settings), *keys)
        try:
            with opened_database(settings, makes=False, alone=makes) as url:
                if makes:
                    # Both are written before the new one encrypts anything: after an interruption everything can still be opened.
                    write_key_file(key_file(settings), keys, replace=True)
                done = uvloop.run(_reseal(settings, url, keys))
        except InUseError as error:
            if not makes:
                raise
            raise OperatorError(
                f"{error}: --new needs a service that is stopped, since those who run would not know the new key; where a new one "
                "was made already, `steward rotate-key` without --new finishes the work"
            ) from None
        if forgets:
            write_key_file(key_file(settings), keys[:1], replace=True)
    for table, count in done.items():
        click.echo(f"{table:<20} {count:>8,} sealed anew")
    if len(keys) > 1 and not forgets:
        click.echo(_NEXT_STEP.format(number=len(keys) - 1), err=True)


_NEXT_STEP = "nothing is sealed by the other keys ({number}) any more; cursors that they signed are good until you take them away"


def _new_key(settings: Settings) -> bytes:
    if settings.database_url is not None:
        raise OperatorError(
            "--new is for an embedded database; with --database-url make a key (openssl rand -base64 32), and give it "
            "to all processes first, as docs/operate/secret-key.md says"
        )
    return new_secret_key()


async def _reseal(settings: Settings, url: str, keys: tuple[bytes, ...]) -> dict[str, int]:
    await require_migrated(url, settings.database_listen_url)
    return await reseal(settings.database_listen_url or url, Encryption(*keys))
