"""The commands with all their options, from what `--help` is made of."""

import click

from scripts.generate.tables import NOTE, cell, table
from steward.cli import group


def commands() -> str:
    sections = "\n".join(_section(path, command) for path, command in all_commands())
    return (
        f"{NOTE}# Commands and their options\n\nAs `--help` tells them. [Commands](commands.md) says more about those that run the "
        f"service.\n\n{sections}"
    )


def all_commands() -> list[tuple[str, click.Command]]:
    """Everything that can be called, by what is typed."""
    return list(_below("steward", group, click.Context(group, info_name="steward")))


def _below(path: str, command: click.Command, context: click.Context) -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [(path, command)]
    found = []
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if inner is not None and not inner.hidden:
            found += _below(f"{path} {name}", inner, click.Context(inner, info_name=name, parent=context))
    return found


def _section(path: str, command: click.Command) -> str:
    context = click.Context(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    said = "\n\n".join(" ".join(part.split()) for part in (command.help or "").split("\n\n"))
    options = [
        _option(one, context)
        for one in command.get_params(context)
        # A command remembers under which names it was first asked for help.
        if isinstance(one, click.Option) and not one.hidden and "--help" not in one.opts
    ]
    body = f"\n{table(('option', 'meaning'), *options)}" if options else ""
    return f"## {path}\n\n`{usage}`\n\n{said}\n{body}"


def _option(option: click.Option, context: click.Context) -> tuple[str, str]:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    record = option.get_help_record(context)
    return names, cell(record[1] if record else "")
