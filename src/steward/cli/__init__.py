"""The command line: the only reader of argv and of the environment."""

from steward.cli import listen, org, pieces, up
from steward.cli.base import group

for command in (up.up, pieces.api, pieces.worker, pieces.migrate, org.org, listen.listen):
    group.add_command(command)


def main() -> None:
    group()
