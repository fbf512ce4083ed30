"""A mail server that takes everything, and keeps it to be looked at."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import msgspec
from tests.support.processes import ApiProcess
from tests.support.waiting import limit


class Letter(msgspec.Struct, frozen=True):
    recipients: list[str]
    message: EmailMessage
    user: str | None


class MailServer:
    """Runs in a thread, on any free port. `refuses` makes it take no recipient."""

    def __init__(self) -> None:
        self.letters: list[Letter] = []
        self.refuses = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._talk, "127.0.0.1", 0), self._loop
        ).result(limit(60))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        recipients: list[str] = []
        user = None
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).decode().strip():
            command = line.upper()
            if command.startswith("EHLO"):
                writer.write(b"250-here\r\n250 AUTH PLAIN\r\n")
            elif command.startswith("AUTH"):
                user = line.split()[-1]
                writer.write(b"235 yes\r\n")
            elif command.startswith("RCPT") and self.refuses:
                writer.write(b"550 no\r\n")
            elif command.startswith("DATA"):
                writer.write(b"354 go on\r\n")
                data = await reader.readuntil(b"\r\n.\r\n")
                message = message_from_bytes(data[:-5], policy=policy.default)
                assert isinstance(message, EmailMessage)
                self.letters.append(Letter(recipients, message, user))
                writer.write(b"250 kept\r\n")
            elif command.startswith("QUIT"):
                writer.write(b"221 bye\r\n")
                break
            else:
                if command.startswith("RCPT"):
                    recipients.append(line.partition("<")[2].rstrip(">"))
                writer.write(b"250 yes\r\n")
        writer.close()


@contextmanager
def mail_server() -> Iterator[MailServer]:
    server = MailServer()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def mailing_api(directory: Path, database_url: str, **settings: str) -> Iterator[ApiProcess]:
    """A process of its own, with the settings of a mail server."""
    process = ApiProcess(directory / "api.log", database_url, **settings)
    try:
        process.wait_until_live()
        yield process
    finally:
        process.stop()
