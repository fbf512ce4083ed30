"""Whether a block can be read by what it is written for: by the program itself where it is installed, else by its grammar."""

import configparser
import csv
import io
import json
import re
import shutil
import subprocess
import tempfile
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable

import yaml
from scripts.node import installed_node

from steward.settings import SETTINGS
from steward.settings.environment import NOT_SETTINGS

_VARIABLES = {setting.variable for setting in SETTINGS} | set(NOT_SETTINGS)
_ASSIGNMENT = re.compile(r"^(?:export )?([A-Za-z_][A-Za-z0-9_]*)=(.*)$")
_DIRECTIVE = re.compile(r"^[a-z_]+( \S.*)?$")
_DOCKER_WORDS = frozenset(
    [
        "ADD",
        "ARG",
        "CMD",
        "COPY",
        "ENTRYPOINT",
        "ENV",
        "EXPOSE",
        "FROM",
        "HEALTHCHECK",
        "LABEL",
        "RUN",
        "SHELL",
        "STOPSIGNAL",
        "USER",
        "VOLUME",
        "WORKDIR",
    ]
)


def _sh(code: str) -> None:
    _read_by(["bash", "-n"], code)


def _python(code: str) -> None:
    compile(code, "block", "exec")


def _js(code: str) -> None:
    node = installed_node()
    if node is not None:
        with tempfile.NamedTemporaryFile("w", suffix=".mjs", encoding="utf-8") as file:
            file.write(code)
            file.flush()
            _read_by([node, "--check", file.name], "")


def _ini(code: str) -> None:
    if re.search(r"^\[", code, re.MULTILINE):
        # A key may stand several times, as `ExecStart=` in a unit does.
        configparser.RawConfigParser(strict=False, allow_no_value=True, delimiters="=").read_string(code)
        return
    for line in code.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            found = _ASSIGNMENT.match(line.strip())
            assert found, f"neither a section nor NAME=value: {line}"
            assert not found[1].startswith("STEWARD_") or found[1] in _VARIABLES, (
                f"no such setting: {found[1]}"
            )


def _conf(code: str) -> None:
    for line in code.splitlines():
        assert not line.strip() or line.startswith("#") or _DIRECTIVE.match(line), line


def _braces(code: str) -> None:
    depth = 0
    for line in code.splitlines():
        bare = re.sub(r'"[^"]*"|\{[\w.$><-]*\}|#.*$', "", line)
        depth += bare.count("{") - bare.count("}")
        assert depth >= 0, f"closes what wasn't opened: {line}"
    assert depth == 0, "a block isn't closed"


def _caddyfile(code: str) -> None:
    _braces(code)
    if caddy := shutil.which("caddy"):
        _read_by([caddy, "adapt", "--adapter", "caddyfile", "--config", "-"], code)


def _nginx(code: str) -> None:
    _braces(code)
    for line in code.splitlines():
        bare = line.partition("#")[0].strip()
        assert not bare or bare[-1] in ";{}" or bare.startswith("'") or "log_format" in code, (
            f"no end: {line}"
        )


def _dockerfile(code: str) -> None:
    whole = re.sub(r"\\\n", " ", code)
    for line in whole.splitlines():
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        assert not word or word.startswith("#") or word in _DOCKER_WORDS, f"no instruction: {line}"


def _read_by(command: list[str], code: str) -> None:
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _csv(code: str) -> None:
    head = code.partition("\n")[0]
    # Some programs, and most that speak German, separate by semicolons.
    separator = max(",;\t", key=head.count)
    widths = {len(row) for row in csv.reader(io.StringIO(code), delimiter=separator, strict=True) if row}
    assert len(widths) == 1, f"rows of different width: {sorted(widths)}"


def _nothing(_code: str) -> None:
    """Output, trees, topics; mermaid is drawn by the test of the site, and SQL run."""


CHECKS: dict[str, Callable[[str], object]] = {
    "sh": _sh,
    "python": _python,
    "js": _js,
    "json": json.loads,
    "yaml": lambda code: list(yaml.safe_load_all(code)),
    "toml": tomllib.loads,
    "xml": ET.fromstring,
    "csv": _csv,
    "ini": _ini,
    "systemd": _ini,
    "conf": _conf,
    "caddyfile": _caddyfile,
    "nginx": _nginx,
    "dockerfile": _dockerfile,
    "sql": _nothing,
    "mermaid": _nothing,
    "text": _nothing,
}
