"""The folders beside us that can be started by themselves, and which of their scenarios a whole run has."""

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import msgspec

from bench.progress import UNKNOWN, Expected

# Options of `python -m bench` that only one program knows.
_OWN_OPTIONS = {"memory": ("memory_minutes", "--minutes")}


class Program(msgspec.Struct, frozen=True):
    """`python -m …`: scenarios with tenants of their own."""

    module: str
    names: tuple[str, ...]
    default: tuple[str, ...]
    expected: Mapping[str, Expected]

    @property
    def name(self) -> str:
        return self.module.rpartition(".")[2]

    def chosen(self, wanted: Sequence[str]) -> list[str]:
        return [name for name in self.names if name in wanted]

    def words(self, options: argparse.Namespace) -> list[str]:
        words = [self.module, *self.chosen(options.scenarios)]
        words += ["--rounds", str(options.rounds), "--seconds", str(options.seconds)]
        if self.name in _OWN_OPTIONS:
            ours, theirs = _OWN_OPTIONS[self.name]
            words += [theirs, str(getattr(options, ours))]
        return words

    def seconds(self, name: str, options: argparse.Namespace) -> float:
        return self.expected.get(name, UNKNOWN).seconds(options.rounds, options.seconds)


def find_programs() -> list[Program]:
    """Every folder beside us that can be started."""
    modules = [f"bench.{file.parent.name}" for file in sorted(Path(__file__).parent.glob("*/__main__.py"))]
    return [program(module, import_module(f"{module}.__main__")) for module in modules]


def program(module: str, code: ModuleType) -> Program:
    """As its `__main__` describes it: SCENARIOS, DEFAULT (all, none or some of them), EXPECTED seconds."""
    names = tuple(code.SCENARIOS)
    default = getattr(code, "DEFAULT", names)
    return Program(module, names, tuple(default), getattr(code, "EXPECTED", {}))
