"""How far a long command has come: a line that is written anew on a terminal, elsewhere a line now and then."""

import sys
import time

import click

_TERMINAL_SECONDS = 0.1
_LINE_SECONDS = 10.0
_WIDTH = 24


class ProgressLine:
    """On standard error, so that what a command prints stays by itself."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._on_terminal = sys.stderr.isatty()
        self._written = time.monotonic()
        self._is_open = False

    def __call__(self, words: str, done: int, expected: int) -> None:
        pause = _TERMINAL_SECONDS if self._on_terminal else _LINE_SECONDS
        if time.monotonic() - self._written < pause:
            return
        self._written = time.monotonic()
        if not self._on_terminal:
            click.echo(f"{self._doing} {words}", err=True)
            return
        self._is_open = True
        click.echo(f"\r\x1b[K{_bar(done, expected)} {self._doing} {words}", err=True, nl=False)

    def close(self) -> None:
        if self._is_open:
            click.echo("\r\x1b[K", err=True, nl=False)


class RowsLine(ProgressLine):
    """Counts the rows that a command has come through, table by table."""

    rows = 0

    def add(self, table: str, rows: int) -> None:
        self.rows += rows
        self(f"{self.rows:,} rows, {table}", self.rows, 0)


def _bar(done: int, expected: int) -> str:
    filled = min(_WIDTH, _WIDTH * done // max(expected, 1))
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}]"
