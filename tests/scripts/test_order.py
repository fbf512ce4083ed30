"""The order of a run."""

from pathlib import Path

from tests.support.order import SLOWEST_FILES

_ROOT = Path(__file__).parents[2]


def test_files_that_come_first_exist() -> None:
    assert [name for name in SLOWEST_FILES if not (_ROOT / name).is_file()] == []
