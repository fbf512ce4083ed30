"""Which tests a change touches: those that it changed, and those of the packages that it changed."""

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

_COMMITS = 5


def touched_tests(since: str | None = None) -> list[Path]:
    return sorted(set(tests_of(_changed_files(since or _begin()))))


def tests_of(changed: Iterable[Path]) -> Iterator[Path]:
    for file in changed:
        match file.parts:
            case ["tests", *_] if file.name.startswith("test_") and file.exists():
                yield file
            case ["tests", folder, *_, "conftest.py" | "helpers.py"]:
                yield from _files(Path("tests", folder))
            case ["src", "steward", "web", "static", *_]:
                yield from _files(Path("tests/web/browser"))
            case ["src", "steward", *packages, _] if packages:
                yield from _tests_of_package(packages)
            case ["docs", *_]:
                yield from _files(Path("tests/docs"))


def _tests_of_package(packages: list[str]) -> Iterator[Path]:
    """`kit/db` has its tests in `tests/kit/db`, `bookings/series` in `tests/bookings`, and both in `tests/web`."""
    room = next(
        (Path("tests", *packages[:depth]) for depth in (2, 1) if Path("tests", *packages[:depth]).is_dir()),
        None,
    )
    if room is not None:
        yield from _files(room)
    yield from Path("tests/web").rglob(f"test_{packages[0]}*.py")


def _files(folder: Path) -> Iterator[Path]:
    return folder.rglob("test_*.py")


def _changed_files(since: str) -> list[Path]:
    committed = _git("diff", "--name-only", since)
    new = _git("ls-files", "--others", "--exclude-standard")
    return [Path(name) for name in [*committed, *new]]


def _begin() -> str:
    """Where this branch left the upstream one; on the upstream branch itself, some commits ago."""
    head, base = _git("rev-parse", "HEAD"), _git("merge-base", "HEAD", "@{upstream}", check=False)
    if base and base != head:
        return base[0]
    return _git("rev-list", f"--max-count={_COMMITS + 1}", "HEAD")[-1]


def _git(*words: str, check: bool = True) -> list[str]:
    ran = subprocess.run(["git", *words], capture_output=True, text=True, check=check)
    return ran.stdout.split()
