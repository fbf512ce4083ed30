"""Every secret that the suite comes to know, and where none of them may be found afterwards.

Clients of the suite learn secrets as they are made. When the session ends, what the service wrote is searched for all of
them: logs, metrics, and every column of the database.
"""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qs

import asyncpg
import httpx
from tests.support.processes import SECRET_KEY

# Shorter ones, and those of few characters, might stand in a text by chance.
_SHORTEST = 12
_FEWEST_CHARACTERS = 6
_IN_ANSWERS = re.compile(
    rb'"(?:secret|signingSecret|token|idToken|refreshToken)":\s*"([^"]+)"'
    rb"|(svc_live_\w{32})|(whsec_[\w+/=-]{20,})|/calendars/\w+\.([\w-]{20,})"
    rb"|/(?:invitations|password-reset|tablet|screen)/\w+\.([\w-]{20,})"
)
_IN_REQUESTS = re.compile(rb'"(?:password|refreshToken)":\s*"([^"\\]+)"')
# What is searched for without being registered.
_NEVER = ("PRIVATE KEY-----", SECRET_KEY)
_REMEMBERED = "steward_remembered_"
_TABLES = """SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')"""


class Secrets:
    def __init__(self) -> None:
        self.known: set[str] = set()

    def learn(self, *secrets: str) -> None:
        self.known |= {
            secret
            for secret in secrets
            if len(secret) >= _SHORTEST and len(set(secret)) >= _FEWEST_CHARACTERS
        }

    def learn_from(self, request: httpx.Request, answer: httpx.Response) -> None:
        sent = _content(request)
        self.learn(*(found.decode() for found in _IN_REQUESTS.findall(sent)))
        if b"password=" in sent:
            self.learn(*parse_qs(sent.decode()).get("password", ()))
        if answer.is_success or answer.is_redirect:
            parts = (part for found in _IN_ANSWERS.findall(answer.content) for part in found)
            self.learn(*(part.decode() for part in parts))
            # What a browser remembers for its person is no secret.
            kept = answer.cookies.items()
            self.learn(*(value for name, value in kept if not name.startswith(_REMEMBERED)))

    def refuse_echo(self, request: httpx.Request, answer: httpx.Response) -> None:
        """A refusal never repeats the credentials that it refuses."""
        if answer.is_error:
            sent = [request.headers.get(name, "") for name in ("x-api-key", "authorization", "cookie")]
            pairs = [pair for header in sent for pair in re.split(r"[ ;]+", header)]
            sent = [part for pair in pairs if not pair.startswith(_REMEMBERED) for part in pair.split("=")]
            sent += [found.decode() for found in _IN_REQUESTS.findall(_content(request))]
            shown = answer.text + str(answer.headers)
            echoed = [secret for secret in sent if len(secret) >= _SHORTEST and secret in shown]
            assert echoed == [], f"{request.method} {request.url.path} repeats a credential"


def _content(request: httpx.Request) -> bytes:
    """Nothing of a body that was streamed: it is gone, and held no secret."""
    try:
        return request.content
    except httpx.RequestNotRead:
        return b""


SECRETS = Secrets()


def leaks(secrets: "Secrets", places: Iterable[Path]) -> dict[str, list[str]]:
    """By the name of a place, which secrets stand in it, as text or as bytes in hexadecimal; shortened, to be shown."""
    files = [str(place) for place in places if place.exists()]
    patterns = "\n".join(
        part for secret in (*secrets.known, *_NEVER) for part in (secret, secret.encode().hex())
    )
    # Once for all files: to read so many patterns takes longer than to look for them.
    result = subprocess.run(
        ["grep", "-aoFHZ", "-m", "20", "-f", "-", *files],
        input=patterns.encode(),
        capture_output=True,
        check=False,
    )
    assert result.returncode in {0, 1}, result.stderr
    found: dict[str, set[str]] = {}
    for line in result.stdout.splitlines():
        place, _, secret = line.decode().partition("\0")
        found.setdefault(place, set()).add(f"{secret[:12]}…")
    return {place: sorted(what) for place, what in found.items()}


async def dump_database(url: str, to: Path) -> list[str]:
    """Every row of every table as text, one after the other; and which tables there were."""
    connection = await asyncpg.connect(url)
    try:
        tables = [row[0] for row in await connection.fetch(_TABLES)]
        with to.open("wb") as sink:
            for table in tables:
                sink.write(f"--- {table}\n".encode())
                await connection.copy_from_query(f"SELECT t::text FROM {table} t", output=sink)
    finally:
        await connection.close()
    return tables
