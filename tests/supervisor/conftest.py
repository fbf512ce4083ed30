import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.supervisor.helpers import clean_up


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data directory as `steward up` makes it. What PostgreSQL has left of it is removed, wherever it lies."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    yield folder
    clean_up(folder)


@pytest.fixture(scope="module")
def used_data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One data directory for the tests of a module that don't mind what others did with it before."""
    folder = tmp_path_factory.mktemp("used") / "data"
    folder.mkdir(mode=0o700)
    yield folder
    clean_up(folder)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every account may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
