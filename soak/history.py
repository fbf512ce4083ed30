"""The history of readings as the service tells it, reading by reading."""

from collections.abc import Sequence

from soak.calls import Caller
from soak.setup import SoakSetup

# As many seconds as there may be points, so that each reading is a point of its own.
_WINDOW = 2000
Stored = dict[tuple[str, int], tuple[float, int]]


async def stored_readings(caller: Caller, setup: SoakSetup, assets: Sequence[str]) -> Stored:
    """Value and count by asset and second."""
    found: Stored = {}
    for asset in assets:
        begin = setup.first_second
        while points := await _window(caller, setup, asset, begin):
            found |= {(asset, at): (value, count) for at, value, count in points}
            begin += _WINDOW
    return found


async def _window(caller: Caller, setup: SoakSetup, asset: str, begin: int) -> list[tuple[int, float, int]]:
    query = f"telemetry?key=Temperature&from={begin}&to={begin + _WINDOW}&resolution={_WINDOW}"
    answer = await caller.insist("GET", setup.at("assets", asset, query))
    if not caller.is_expected("read the history", answer, 200):
        return []
    points = [point for series in answer.data["series"] for point in series["points"]]
    return [(point["timestamp"], point["average"], point["count"]) for point in points]
