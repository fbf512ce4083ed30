"""Real MQTT brokers to test with, each a process of its own on a free loopback port.

Mosquitto speaks MQTT 5; its log says what it sent to whom and what was acknowledged. amqtt comes from PyPI and speaks MQTT
3.1.1 only: Steward has to notice.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterable
from pathlib import Path

import pytest
from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from tests.support.launching import find_program, launch
from tests.support.ports import free_port
from tests.support.waiting import limit, wait_for

MOSQUITTO = find_program("mosquitto")
_AMQTT = """listeners:
  default:
    type: tcp
    bind: 127.0.0.1:{port}
plugins:
  amqtt.plugins.authentication.AnonymousAuthPlugin:
    allow_anonymous: true
"""

Message = tuple[str, str | bytes]


def require_mosquitto() -> None:
    if MOSQUITTO is None:
        missing = "Mosquitto is not installed: make broker"
        if os.environ.get("STEWARD_TEST_BROKER") == "required":
            pytest.fail(missing)
        pytest.skip(missing)


class Publisher:
    """A device, or many of them."""

    def __init__(self, port: int, username: str | None = None, password: str | None = None) -> None:
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2, f"device-{uuid.uuid4()}", protocol=MQTTProtocolVersion.MQTTv5
        )
        self._client.max_queued_messages_set(0)
        self._client.max_inflight_messages_set(1000)
        if username is not None:
            self._client.username_pw_set(username, password)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        wait_for("a connection to the broker", self._client.is_connected)

    def publish(self, messages: Iterable[Message], qos: int = 1) -> None:
        """Returns when the broker has taken all of them."""
        sent = [self._client.publish(topic, payload, qos=qos) for topic, payload in messages]
        wait_for("taking of the messages", lambda: all(each.is_published() for each in sent))

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


class Device(Publisher):
    """One that also receives messages."""

    def __init__(self, port: int, topic: str) -> None:
        super().__init__(port)
        self.told: list[bytes] = []
        subscribed: list[bool] = []
        self._client.on_message = lambda _client, _data, message: self.told.append(bytes(message.payload))
        self._client.on_subscribe = lambda *_said: subscribed.append(True)
        self._client.subscribe(topic, qos=1)
        wait_for("a subscription", lambda: subscribed)


def password_file(directory: Path, username: str, password: str) -> Path:
    """For Mosquitto, written by the program that comes with it."""
    file = directory / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(file), username, password], check=True)
    return file


def ends_session(port: int, client: str) -> bool:
    """Whether the broker had a session of this client; it is gone then."""
    found: list[bool] = []
    connection = paho.Client(CallbackAPIVersion.VERSION2, client, protocol=MQTTProtocolVersion.MQTTv5)
    connection.on_connect = lambda _client, _data, flags, _reason, _properties: found.append(
        flags.session_present
    )
    connection.connect("127.0.0.1", port, clean_start=False)
    connection.loop_start()
    wait_for("an answer of the broker", lambda: found)
    connection.disconnect()
    connection.loop_stop()
    return found[0]


class BrokerProcess:
    """`start` can be called again: the port stays, and the log is appended to."""

    def __init__(self, log: Path, port: int | None = None) -> None:
        self.port = port or free_port()
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._launches = 0

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def _command(self) -> list[str]:
        raise NotImplementedError

    def _listens(self) -> bool:
        raise NotImplementedError

    def launch(self) -> None:
        """Does not wait for anything."""
        self._launches += 1
        self._process = launch(self._command(), self.log, os.environ)

    def start(self) -> None:
        self.launch()
        wait_for("a listening broker", self._is_up)

    def _is_up(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.said
        with contextlib.suppress(OSError):
            return self._listens()
        return False

    def freeze(self) -> None:
        """Connections stay, and nothing is answered any more."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """In order, however it was left."""
        self._signal(signal.SIGCONT)
        self._end(signal.SIGTERM)

    def _signal(self, number: int) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)

    def _end(self, number: int) -> None:
        self._signal(number)
        if self._process is not None:
            self._process.wait(limit(60))


class Mosquitto(BrokerProcess):
    """Killed, it comes back without what it had not written down; stopped, with everything.

    `settings` are further lines of its configuration, and `log` what it logs.
    """

    def __init__(self, directory: Path, *settings: str, port: int | None = None, log: str = "all") -> None:
        super().__init__(directory / "mosquitto.log", port)
        self._configuration = directory / "mosquitto.conf"
        lines = (
            f"listener {self.port} 127.0.0.1",
            "user root",
            "persistence true",
            f"persistence_location {directory}/",
            "max_queued_messages 0",
            "max_inflight_messages 0",
            f"log_type {log}",
            *(settings or ("allow_anonymous true",)),
        )
        self._configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _command(self) -> list[str]:
        program = find_program("mosquitto")
        assert program is not None
        return [program, "-c", str(self._configuration)]

    def _listens(self) -> bool:
        return len(re.findall(r"mosquitto version \S+ running", self.said)) == self._launches

    # What its log says of a client.

    def connections(self, client: str) -> int:
        return len(re.findall(rf"New client connected from \S+ as {client} \(", self.said))

    def subscriptions(self, client: str) -> int:
        return self._count(f"Sending SUBACK to {client}\n")

    def pings(self, client: str) -> int:
        return self._count(f"Received PINGREQ from {client}\n")

    def goodbyes(self, client: str) -> int:
        return self._count(f"Received DISCONNECT from {client}\n")

    def sent(self, client: str = "steward-0") -> int:
        return self._count(f"Sending PUBLISH to {client} (")

    def acknowledged(self, client: str = "steward-0") -> int:
        return self._count(f"Received PUBACK from {client} (")

    def _count(self, line: str) -> int:
        return self.said.count(f": {line}")


class Amqtt(BrokerProcess):
    def __init__(self, directory: Path) -> None:
        super().__init__(directory / "amqtt.log")
        self._configuration = directory / "amqtt.yaml"
        self._configuration.write_text(_AMQTT.format(port=self.port), encoding="utf-8")

    def _command(self) -> list[str]:
        return [sys.executable, "-m", "amqtt.scripts.broker_script", "-c", str(self._configuration)]

    def _listens(self) -> bool:
        client = paho.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv311)
        client.connect("127.0.0.1", self.port)
        client.disconnect()
        return True
