"""`python -m scripts.citus [pytest arguments]`: the tests on a coordinator with two workers, where there is a Citus."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
from tests.support.servers import SERVER_VARIABLE

from scripts.citus.cluster import running_cluster
from scripts.citus.find import SOURCE_VARIABLE, find_citus


def main(words: list[str]) -> int:
    programs = find_citus()
    if programs is None:
        click.echo(
            "citus: skipped, there is none; install its packages for a PostgreSQL of this machine, "
            f"or name a folder with its sources by {SOURCE_VARIABLE}"
        )
        return 0
    with tempfile.TemporaryDirectory(prefix="steward-citus-") as folder:
        Path(folder).chmod(0o755)
        with running_cluster(programs, Path(folder) / "cluster") as url:
            click.echo(f"citus: of {programs}, a coordinator with two workers at {url}")
            environment = {**os.environ, SERVER_VARIABLE: url}
            command = [sys.executable, "-m", "pytest", *(words or ["-m", "not long"])]
            return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
