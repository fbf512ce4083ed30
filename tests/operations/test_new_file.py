"""Files that operators are given: whole under their name, or not there, and never in the place of another."""

from pathlib import Path

import pytest

from steward.operations.backup.model import BackupError
from steward.operations.backup.new_file import new_file


def test_complete_files_get_their_final_name(tmp_path: Path) -> None:
    path = tmp_path / "steward.backup"
    with new_file(path) as file:
        file.write(b"all of it")
        assert not path.exists()
    assert path.read_bytes() == b"all of it"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_no_file(tmp_path: Path) -> None:
    def write_half() -> None:
        with new_file(tmp_path / "steward.backup") as file:
            file.write(b"half of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_came_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "steward.backup"

    def write() -> None:
        with new_file(path) as file:
            file.write(b"ours")
            path.write_bytes(b"somebody else's")

    with pytest.raises(BackupError, match="exists already"):
        write()
    assert path.read_bytes() == b"somebody else's"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "steward.backup"
    with pytest.raises(BackupError, match=r"nowhere/steward\.backup can't be written"), new_file(path):
        pass
