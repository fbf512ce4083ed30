"""People at the command line: the real `steward`, in a folder and with a configuration of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click.testing
from tests.support.organizations import Organization
from tests.support.processes import environment

from steward.cli import group


class User:
    """Somebody with a key. `run` invokes the command within the test, `start` as a process of its own."""

    def __init__(self, organization: Organization, home: Path, *, key: str | None = None) -> None:
        self.organization = organization
        self.home = home
        self.variables = {
            "XDG_CONFIG_HOME": str(home),
            "STEWARD_URL": organization.base_url,
            "STEWARD_ORG": organization.id,
            "STEWARD_API_KEY": key or organization.secret,
            "NO_COLOR": "",
            "TZ": "UTC",
        }

    def forgets(self) -> None:
        """Nothing is known but what stands in the file."""
        for name in ("STEWARD_URL", "STEWARD_ORG", "STEWARD_API_KEY"):
            self.variables.pop(name)

    def run(self, *words: str, stdin: str | None = None) -> click.testing.Result:
        others = {name: None for name in os.environ if name.startswith("STEWARD_")}
        runner = click.testing.CliRunner(env={**others, **self.variables})
        return runner.invoke(group, words, input=stdin, catch_exceptions=False)

    def says(self, *words: str) -> str:
        """What a command that does well writes."""
        done = self.run(*words)
        assert done.exit_code == 0, (words, done.output)
        return done.stdout

    def json(self, *words: str) -> list[Any]:
        return [json.loads(line) for line in self.says(*words, "--json").splitlines()]

    def one(self, *words: str) -> Any:
        [record] = self.json(*words)
        return record

    def refused(self, code: int, *words: str) -> str:
        """What is said on standard error; nothing stands where a program would read the result."""
        done = self.run(*words)
        assert (done.exit_code, done.stdout) == (code, ""), (words, done.output)
        assert done.stderr.startswith(("steward: ", "Usage: ")), done.stderr
        return done.stderr

    def start(self, *words: str, **more: Any) -> subprocess.Popen[bytes]:
        # The width comes from the terminal, not from the environment of the tests.
        inherited = {name: value for name, value in environment().items() if name not in {"COLUMNS", "LINES"}}
        return subprocess.Popen(
            self.command(*words), env={**inherited, **self.variables}, cwd=self.home, **more
        )

    @staticmethod
    def command(*words: str) -> list[str]:
        return [sys.executable, "-m", "steward", *words]
