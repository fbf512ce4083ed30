"""What `deploy/` and the Dockerfile start, as data: each command with the variables that it is given."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = ROOT / "Dockerfile"
COMPOSE = DEPLOY / "compose" / "compose.yaml"
KUBERNETES = DEPLOY / "kubernetes"
UNITS = DEPLOY / "systemd"
# Where a template of systemd has the name of its instance.
_INSTANCES = {"steward-api@.service": "8000", "steward-worker@.service": "1"}


class Command(NamedTuple):
    """`steward …` as a container engine, Kubernetes or systemd would start it."""

    source: str
    arguments: tuple[str, ...]
    environment: dict[str, str]


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Those of a Dockerfile: name and the rest, with lines that go on put together."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    for line in joined.splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


def image() -> dict[str, list[str]]:
    """The instructions of the last stage, by name."""
    found: dict[str, list[str]] = {}
    for name, rest in instructions(DOCKERFILE.read_text(encoding="utf-8")):
        if name == "FROM":
            found = {}
        found.setdefault(name, []).append(rest)
    return found


def image_environment() -> dict[str, str]:
    pairs = (pair.partition("=") for line in image()["ENV"] for pair in shlex.split(line))
    return {name: value for name, _, value in pairs}


def healthcheck() -> list[str]:
    """The command by which the image is asked how it is."""
    [line] = image()["HEALTHCHECK"]
    words: list[str] = json.loads(line[line.index("[") :])
    return words


def compose() -> dict[str, Any]:
    """With the defaults of variables."""
    text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", COMPOSE.read_text(encoding="utf-8"))
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def our_services() -> dict[str, dict[str, Any]]:
    return {
        name: service
        for name, service in compose()["services"].items()
        if service["image"].startswith("steward:")
    }


def manifests() -> list[dict[str, Any]]:
    return [
        document
        for file in sorted(KUBERNETES.glob("*.yaml"))
        if file.name != "kustomization.yaml"
        for document in yaml.safe_load_all(file.read_text(encoding="utf-8"))
    ]


def manifest(kind: str, name: str) -> dict[str, Any]:
    [found] = [one for one in manifests() if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found


def pods() -> list[dict[str, Any]]:
    """The templates of all pods that there are."""
    return [one["spec"]["template"] for one in manifests() if one["kind"] in {"Deployment", "Job"}]


def unit(file: Path) -> list[tuple[str, str]]:
    """The lines of a unit of systemd, for the instance that its comment speaks of."""
    instance = _INSTANCES.get(file.name, "")
    lines = file.read_text(encoding="utf-8").replace("%i", instance).splitlines()
    pairs = (line.partition("=") for line in lines if "=" in line and not line.startswith("#"))
    return [(name, value) for name, _, value in pairs]


def _of_image() -> Iterator[Command]:
    [entrypoint], [arguments] = image()["ENTRYPOINT"], image()["CMD"]
    assert json.loads(entrypoint) == ["steward"]
    yield Command("Dockerfile", tuple(json.loads(arguments)), image_environment())


def _of_compose() -> Iterator[Command]:
    for name, service in our_services().items():
        environment = {**image_environment(), **service["environment"]}
        yield Command(f"compose {name}", tuple(service["command"]), environment)


def _of_kubernetes() -> Iterator[Command]:
    shared = manifest("ConfigMap", "steward-settings")["data"]
    for pod in pods():
        for container in pod["spec"]["containers"]:
            own = {one["name"]: one["value"] for one in container.get("env", [])}
            environment = {**image_environment(), **shared, **own}
            yield Command(f"kubernetes {container['name']}", tuple(container["args"]), environment)


def _of_systemd() -> Iterator[Command]:
    for file in sorted(UNITS.glob("*.service")):
        lines = unit(file)
        [start] = [value for name, value in lines if name == "ExecStart"]
        program, *arguments = shlex.split(start)
        if program == "/bin/sh":
            # The backup, whose file has the date in its name: the guide for one machine runs it.
            continue
        assert program == "/opt/steward/bin/steward"
        pairs = (value.partition("=") for name, value in lines if name == "Environment")
        environment = {name: value for name, _, value in pairs}
        yield Command(f"systemd {file.name}", tuple(arguments), environment)


def commands() -> list[Command]:
    return [*_of_image(), *_of_compose(), *_of_kubernetes(), *_of_systemd()]
