"""`steward telemetry`: send readings, and see them as a chart."""

import shutil
import time
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

import click

from steward_client import to_dict
from steward_client.cli import find
from steward_client.cli.cells import Column, printable
from steward_client.cli.chart import Point, chart, number
from steward_client.cli.command import Moment, Span, UserGroup, command
from steward_client.cli.errors import NOT_FOUND, CommandError
from steward_client.cli.output import has_unicode
from steward_client.cli.session import Session
from steward_client.models import KeyHistory

_WORDS = {"true": True, "false": False, "on": True, "off": False}
_DAY = 86_400
_HEIGHT = 16
_COLUMNS = (
    Column("timestamp", "timestamp"),
    Column("min", "min"),
    Column("average", "average"),
    Column("max", "max"),
    Column("readings", "count"),
)


class _Reading(click.ParamType[tuple[str, float | int | bool]]):
    name = "KEY=VALUE"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float | int | bool]:
        key, separator, written = value.partition("=")
        if not separator or not key:
            self.fail(f"{value!r} is not written KEY=VALUE, such as Temperature=21.4", param, ctx)
        if written.lower() in _WORDS:
            return key, _WORDS[written.lower()]
        try:
            return key, float(written) if any(c in written for c in ".eE") else int(written)
        except ValueError:
            self.fail(f"{written!r} is neither a number nor true or false", param, ctx)


def _send(
    session: Session, asset: str, readings: Sequence[tuple[str, float | int | bool]], at: int | None
) -> None:
    values = dict(readings)
    sent = session.client.telemetry.send(find.asset(session.client, asset), values=values, timestamp=at)
    taken = to_dict(sent)
    session.output.record(taken, said=f"{taken['assetId']}: {len(values)} taken")


def _plot(session: Session, asset: str, key: str, span: int, until: int | None, height: int) -> None:
    end = until if until is not None else int(time.time())
    history = session.client.telemetry.history(
        find.asset(session.client, asset),
        key=key,
        from_=end - span,
        to=end + 1,
        resolution=_resolution(),
    )
    series = next((one for one in history.series if one.points), None)
    if series is None:
        raise CommandError(f"{asset} has no readings of {key} in this time", NOT_FOUND)
    if session.output.format != "table":
        session.output.records(_COLUMNS, map(to_dict, series.points))
        return
    for words in _drawing(series, history.bucket_seconds, span, height):
        click.echo(words)


def _resolution() -> int:
    """Two dots a character across."""
    return min(max(shutil.get_terminal_size().columns * 2, 20), 2000)


def _drawing(series: KeyHistory, bucket: int, span: int, height: int) -> list[str]:
    points = [Point(point.timestamp, point.min, point.max, point.average) for point in series.points]
    least, greatest = min(p.least for p in points), max(p.greatest for p in points)
    unit = f" {printable(series.unit)}" if series.unit else ""
    format = "%H:%M" if span <= _DAY else "%d %b %H:%M"
    head = f"{printable(series.name)}: min {number(least)}{unit}, max {number(greatest)}{unit}"
    lines = chart(
        points,
        width=shutil.get_terminal_size().columns,
        height=height,
        label=lambda at: datetime.fromtimestamp(at).astimezone().strftime(format),
        gap=_gap(points, bucket),
        plain=not has_unicode(),
    )
    return [head, *lines]


def _gap(points: Sequence[Point], bucket: int) -> float:
    """Devices have a rhythm of their own: a gap is what is much longer than it, and than a bucket."""
    between = sorted(later.at - earlier.at for earlier, later in pairwise(points))
    usual = between[len(between) // 2] if between else 0
    return max(usual * 3, bucket * 3)


def _asset() -> click.Argument:
    return click.Argument(["asset"], metavar="ASSET")


telemetry = UserGroup(
    "telemetry",
    help="Readings of devices, which are named by their id or externalId.",
    commands=[
        command(
            "send",
            "Send a reading: Temperature=21.4 DoorOpen=false",
            _send,
            [
                _asset(),
                click.Argument(["readings"], type=_Reading(), nargs=-1, required=True, metavar="KEY=VALUE…"),
                click.Option(["--at"], type=Moment(), help="When it was measured; now, when absent."),
            ],
        ),
        command(
            "plot",
            "Draw the history of one key.",
            _plot,
            [
                _asset(),
                click.Argument(["key"], metavar="KEY"),
                click.Option(
                    ["--for", "span"],
                    type=Span(),
                    default="24h",
                    show_default=True,
                    help="How far back: 6h, 7d.",
                ),
                click.Option(["--until"], type=Moment(), help="Up to then; now, when absent."),
                click.Option(
                    ["--height"],
                    type=click.IntRange(4, 200),
                    metavar="N",
                    default=_HEIGHT,
                    show_default=True,
                    help="In lines.",
                ),
            ],
            formats=("json", "csv"),
        ),
    ],
)
