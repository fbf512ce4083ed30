"""Mail, if a server is configured. A message that can't be sent is logged, and the caller learns that it failed."""

import asyncio
import re
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from functools import partial
from urllib.parse import unquote, urlsplit

from steward.kit.runtime.log import log

# For each step of the conversation, and for all of it.
_STEP_SECONDS = 5
_SEND_SECONDS = 10
_PORTS = {"smtp": 25, "smtps": 465}
# One address and never a list of them; the dot-atoms of RFC 5322.
_ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w.-]{1,255}", re.ASCII)


class Mailer:
    """Sends through one server: `smtps://` is encrypted from the start, `smtp://` as soon as the server offers it."""

    def __init__(self, url: str, sender: str) -> None:
        parts = urlsplit(url)
        self._encrypted = parts.scheme == "smtps"
        self._host = parts.hostname or ""
        self._port = parts.port or _PORTS[parts.scheme]
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password or "")
        self._sender = sender

    async def send(self, to: str, subject: str, text: str) -> bool:
        try:
            message = _message(self._sender, to, subject, text)
            async with asyncio.timeout(_SEND_SECONDS):
                await asyncio.to_thread(self._submit, to, message)
        except (OSError, smtplib.SMTPException, ValueError) as error:
            # The server's own words may quote the letter.
            log.error("mail not sent", server=f"{self._host}:{self._port}", error=type(error).__name__)
            return False
        return True

    def _submit(self, to: str, message: EmailMessage) -> None:
        context = ssl.create_default_context()
        connect = partial(smtplib.SMTP_SSL, context=context) if self._encrypted else smtplib.SMTP
        with connect(self._host, self._port, timeout=_STEP_SECONDS) as server:
            if not self._encrypted:
                server.ehlo()
                if server.has_extn("starttls"):
                    server.starttls(context=context)
            if self._user:
                server.login(self._user, self._password)
            server.send_message(message, to_addrs=[to])


def _message(sender: str, to: str, subject: str, text: str) -> EmailMessage:
    if not _ADDRESS.fullmatch(to):
        raise ValueError("not an address that every server takes")
    message = EmailMessage()
    message["From"] = sender
    message["To"] = to
    message["Subject"] = " ".join(subject.split())
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2].strip("<> ") or None)
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text)
    return message
