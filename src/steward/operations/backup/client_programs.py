"""PostgreSQL's own programs: which of this machine fit a server, and how they are run."""

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from steward.operations.backup.model import BackupError

_NEEDED = ("pg_dump", "pg_restore", "psql")
_LOG_TAIL = 1 << 14
_DEBIAN = Path("/usr/lib/postgresql")
_TABLE = re.compile(rb'(?:contents of|data for) table "(?:[^".]*\.)?([^"]+)"')
# From here on servers know `transaction_timeout`, which these programs set when they restore.
_KNOWS_TRANSACTION_TIMEOUT = 17
# Parameters of a URL that libpq knows, too; the driver takes all others for settings of the session.
_OF_LIBPQ = re.compile(
    r"host|port|user|dbname|ssl\w*|target_session_attrs|application_name|options|passfile|gss\w*|krbsrvname"
)


class ClientPrograms(NamedTuple):
    folder: Path
    major: int


def client_programs(folders: Iterable[Path], server: int, dumped_by: int | None = None) -> ClientPrograms:
    """Those that dump this server or, with the version of pg_dump, that read what it wrote and write what the server understands.
    Of several the nearest to the server."""
    wanted = max(server, dumped_by or server)
    usable = [found for found in _installed(folders) if found.major >= wanted]
    if dumped_by is not None and server < _KNOWS_TRANSACTION_TIMEOUT:
        usable = [found for found in usable if found.major == server]
    if not usable:
        raise BackupError(
            f"the server is PostgreSQL {server}, and no {', '.join(_NEEDED)} of this machine fit it: install those of "
            f"version {wanted} (Debian: postgresql-client-{wanted})"
        )
    return min(usable, key=lambda found: found.major)


def _installed(folders: Iterable[Path]) -> Iterator[ClientPrograms]:
    on_path = shutil.which("pg_dump")
    for folder in (*([Path(on_path).parent] if on_path else []), *_DEBIAN.glob("*/bin"), *folders):
        if all((folder / name).is_file() for name in _NEEDED):
            said = subprocess.run(
                [folder / "pg_dump", "--version"], capture_output=True, text=True, check=False
            ).stdout
            if version := re.search(r"\) (\d+)", said):
                yield ClientPrograms(folder, int(version[1]))


class Program:
    """One that runs, with what it says on standard error."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, log: int) -> None:
        self.stdin = cast(asyncio.StreamWriter, process.stdin)
        self.stdout = cast(asyncio.StreamReader, process.stdout)
        self._name, self._process = name, process
        self._log = log
        self._table = ""

    @property
    def table(self) -> str:
        """The table that it has come to, as far as `--verbose` says."""
        if found := _TABLE.findall(self._tail()):
            self._table = found[-1].decode(errors="replace")
        return self._table

    async def finish(self) -> None:
        if await self._process.wait() != 0:
            lines = self._tail().decode(errors="replace").splitlines()
            alarming = [
                line.strip() for line in lines if "error:" in line or "ERROR:" in line or "FATAL:" in line
            ]
            raise BackupError(
                f"{self._name} failed: {' / '.join((alarming or lines)[-3:]) or 'it said nothing'}"
            )

    def _tail(self) -> bytes:
        return os.pread(self._log, _LOG_TAIL, max(0, os.fstat(self._log).st_size - _LOG_TAIL))


@asynccontextmanager
async def running(
    programs: ClientPrograms, url: str | None, name: str, *arguments: str
) -> AsyncIterator[Program]:
    """Killed when it is left, unless it is done. A `url` becomes its connection; no password is on its command line."""
    words, variables = connection_words(url) if url is not None else ([], {})
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            programs.folder / name,
            *arguments,
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env={**clean, **variables, "LC_ALL": "C"},
            # Ctrl-C reaches it through us.
            start_new_session=True,
        )
        program = Program(name, process, log.fileno())
        try:
            yield program
        finally:
            program.stdin.close()
            with suppress(ProcessLookupError):
                process.kill()
            # To its end: a pipe that was paused would stay open, and the loop could not be closed.
            await program.stdout.read()
            await process.wait()


def connection_words(url: str) -> tuple[Sequence[str], dict[str, str]]:
    """The driver's URL as libpq takes it, and the environment with what others may not see."""
    parts = urlsplit(url)
    account, at, place = parts.netloc.rpartition("@")
    user, _, password = account.partition(":")
    query = dict(parse_qsl(parts.query))
    password = unquote(password) or query.pop("password", "")
    known = {name: value for name, value in query.items() if _OF_LIBPQ.fullmatch(name)}
    settings = [
        f"-c {name}=" + value.replace("\\", r"\\").replace(" ", r"\ ")
        for name, value in query.items()
        if name not in known
    ]
    plain = parts._replace(netloc=f"{user}{at}{place}", query=urlencode(known, quote_via=quote)).geturl()
    variables = {"PGPASSWORD": password, "PGOPTIONS": " ".join(settings)}
    return ["--no-password", "--dbname", plain], {name: value for name, value in variables.items() if value}
