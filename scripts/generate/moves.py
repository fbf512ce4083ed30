"""The state machines, as tables and as pictures."""

from typing import Any

from scripts.generate.tables import NOTE, table
from steward.kit.records import moves as machines
from steward.kit.records.moves import Move, Moves


def moves() -> str:
    tables = "\n".join(_moves_of(machines.ALL[noun]) for noun in sorted(machines.ALL))
    return (
        f"{NOTE}# State machines\n\nWhich states a record has, and what leads from one to another. `POST …/{{id}}/{{move}}` asks for a "
        "move; one that isn't possible is 409, and the message names the state and what is possible in it. A move that "
        'takes a reason is sent with `{"reason": "…"}`.\n\n'
        f"{tables}"
    )


def _moves_of(machine: Moves[Any, Any]) -> str:
    return f"## {machine.noun.capitalize()}\n\n{_picture(machine)}\n" + table(
        ("move", "from", "to", "event", "by"), *(_move(row) for row in machine.rows)
    )


def _picture(machine: Moves[Any, Any]) -> str:
    """Only moves that lead elsewhere: the others would be loops on every state."""
    arrows = sorted(
        {
            f"    {source} --> {row.target}: {row.verb}"
            for row in machine.rows
            for source in row.sources
            if row.target and row.target != source
        }
    )
    return "\n".join(["```mermaid", "stateDiagram-v2", *arrows, "```", ""])


def _move(row: Move[Any, Any]) -> tuple[str, ...]:
    reason = ", with a reason" if row.needs_reason else ""
    return (
        f"`{row.verb}`{reason}",
        ", ".join(f"`{source}`" for source in row.sources),
        f"`{row.target}`" if row.target else "stays",
        f"`{row.event.name}`" if row.event else "none",
        "the service, when its time comes" if row.automatic else "request",
    )
