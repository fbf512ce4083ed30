"""How the sync client is made of the async one."""

import tokenize

import pytest
from scripts.client.output import PACKAGE
from scripts.client.sync import to_sync


@pytest.mark.parametrize(
    ("source", "sync"),
    [
        ("async def f():\n    return await g()\n", "def f():\n    return g()\n"),
        ("async for x in y:\n    pass\n", "for x in y:\n    pass\n"),
        ("class AsyncPages(AsyncGroup): pass\n", "class Pages(Group): pass\n"),
        ("def __aiter__(self): ...\n", "def __iter__(self): ...\n"),
        ("http: httpx.AsyncClient\n", "http: httpx.Client\n"),
        ("await _aio.sleep(1)  # await it\n", "_sio.sleep(1)  # await it\n"),
        ('x = "await AsyncPages"\n', 'x = "await AsyncPages"\n'),
        ("a = (\n    await b(),\n    1,\n)\n", "a = (\n    b(),\n    1,\n)\n"),
    ],
)
def test_async_source_becomes_sync_source(source: str, sync: str) -> None:
    assert to_sync(source) == sync


def test_nothing_async_is_left() -> None:
    for file in (PACKAGE / "_sync").rglob("*.py"):
        with file.open("rb") as source:
            words = {
                token.string for token in tokenize.tokenize(source.readline) if token.type == tokenize.NAME
            }
        left = {
            word
            for word in words
            if word in {"async", "await", "asyncio", "_aio"} or word.startswith("Async")
        }
        assert left <= {"AsyncSource"}, file
