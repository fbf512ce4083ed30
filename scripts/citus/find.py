"""Where a Citus is: installed beside a PostgreSQL of this machine, or a source tree that is built for one.

Nothing of it belongs to the project, and nothing depends on it: where there is none, that is said.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click

# A folder with the sources of Citus; they are built and installed for the newest PostgreSQL here that they can be built for.
SOURCE_VARIABLE = "STEWARD_CITUS_SOURCE"


def find_citus() -> Path | None:
    """The programs of a PostgreSQL whose servers can load Citus."""
    installed = [config for config in _pg_configs() if _has_citus(config)]
    if not installed and (source := os.environ.get(SOURCE_VARIABLE)):
        installed = [config for config in _pg_configs() if _build(Path(source), config)][:1]
    return Path(_ask(installed[0], "--bindir")) if installed else None


def _pg_configs() -> Iterator[Path]:
    """The newest first."""
    found = {
        path for root in (Path("/usr/lib/postgresql"), Path("/usr")) for path in root.glob("*/bin/pg_config")
    }
    named = shutil.which("pg_config")
    candidates = [*([Path(named)] if named else ()), *sorted(found, key=_version, reverse=True)]
    yield from dict.fromkeys(candidate.resolve() for candidate in candidates)


def _version(config: Path) -> int:
    digits = "".join(filter(str.isdigit, config.parents[1].name))
    return int(digits) if digits else 0


def _has_citus(config: Path) -> bool:
    return (Path(_ask(config, "--sharedir")) / "extension/citus.control").exists()


def _build(source: Path, config: Path) -> bool:
    """With the few options that need the least beside a compiler."""
    environment = {**os.environ, "PG_CONFIG": str(config)}
    steps = (
        ["./configure", "--without-libcurl"],
        ["make", "with_llvm=no"],
        ["make", "with_llvm=no", "install"],
    )
    for step in steps:
        click.echo(f"citus: {' '.join(step)} in {source} for {config}")
        done = subprocess.run(step, cwd=source, env=environment, check=False, stdout=subprocess.DEVNULL)
        if done.returncode:
            click.echo(f"citus: {step[0]} failed, so that it isn't built for {config}")
            return False
    return _has_citus(config)


def _ask(config: Path, what: str) -> str:
    return subprocess.run([config, what], capture_output=True, text=True, check=True).stdout.strip()
