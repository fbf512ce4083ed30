"""The data directory: one holder at a time, and a secret that stays one."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from steward.settings import Settings
from steward.supervisor.data_dir import lock_data_dir, secret_keys, write_key_file
from steward.supervisor.errors import UpError
from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.system_account import SystemAccount, unprivileged_account

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can: sudo make test")
STRANGER = SystemAccount(uid=54321, gid=54321)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_directory_is_private(tmp_path: Path, open_folder: Path) -> None:
    previous = os.umask(0)
    try:
        # Without another account, with one that can't enter, with one that can.
        for folder, traversed_by, mode in (
            (tmp_path / "alone", None, 0o700),
            (tmp_path / "unreachable", STRANGER, 0o700),
            (open_folder / "new" / "passable", STRANGER, 0o711),
        ):
            with lock_data_dir(folder, traversed_by=traversed_by):
                assert mode_of(folder) == mode
    finally:
        os.umask(previous)


def test_permissions_of_our_own_directories_are_tightened(tmp_path: Path) -> None:
    expected = 0o711 if os.geteuid() == 0 else 0o700
    for content in ((), ("secret.key", "lock", "postgres.location")):
        for name in content:
            (tmp_path / name).touch()
        tmp_path.chmod(0o777)
        with lock_data_dir(tmp_path):
            assert mode_of(tmp_path) == expected


def test_a_directory_is_never_widened(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with lock_data_dir(tmp_path, traversed_by=STRANGER):
        assert mode_of(tmp_path) == 0o700


def test_a_directory_with_other_files_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "photographs").mkdir()
    tmp_path.chmod(0o755)
    with lock_data_dir(tmp_path):
        assert mode_of(tmp_path) == 0o755


@AS_ROOT
def test_a_directory_of_someone_else_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    os.chown(tmp_path, STRANGER.uid, STRANGER.gid)
    with lock_data_dir(tmp_path):
        assert mode_of(tmp_path) == 0o755


@AS_ROOT
def test_files_created_by_root_belong_to_the_owner_of_the_directory(tmp_path: Path) -> None:
    """Otherwise their service couldn't take the lock, nor read its key."""
    os.chown(tmp_path, STRANGER.uid, STRANGER.gid)
    with lock_data_dir(tmp_path):
        (key,) = secret_keys(Settings(data_dir=tmp_path))
    path = tmp_path / "secret.key"
    assert SystemAccount.owner_of(tmp_path / "lock") == STRANGER
    assert SystemAccount.owner_of(path) == STRANGER
    # A replaced one keeps its owner, whatever the owner of the folder.
    os.chown(tmp_path, 0, 0)
    write_key_file(path, [key, key], replace=True)
    assert (SystemAccount.owner_of(path), mode_of(path)) == (STRANGER, 0o600)


@AS_ROOT
def test_an_existing_lock_file_keeps_its_owner(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    os.chown(tmp_path, STRANGER.uid, STRANGER.gid)
    with lock_data_dir(tmp_path):
        assert SystemAccount.owner_of(tmp_path / "lock") == SystemAccount.current()


@AS_ROOT
def test_a_database_created_by_root_belongs_to_the_owner_of_the_directory(open_folder: Path) -> None:
    account, data = unprivileged_account(), open_folder / "data"
    data.mkdir(mode=0o700)
    os.chown(data, account.uid, account.gid)
    postgres = EmbeddedPostgres(data)
    try:
        postgres.start()
    finally:
        postgres.stop()
    assert {path.name for path in (data / "postgres").iterdir()} >= {"lock", "postgres.log", "cluster"}
    assert {SystemAccount.owner_of(path) for path in data.rglob("*")} == {account}


def test_a_locked_directory_is_refused_until_it_is_released(tmp_path: Path) -> None:
    message = rf"^data directory {tmp_path} is in use by another Steward \(pid {os.getpid()}\)$"
    with lock_data_dir(tmp_path), pytest.raises(UpError, match=message):
        lock_data_dir(tmp_path)
    with lock_data_dir(tmp_path) as lock:
        assert not lock.left_by_crash


def test_a_surviving_child_does_not_hold_the_directory_lock(tmp_path: Path) -> None:
    lock = lock_data_dir(tmp_path)
    with subprocess.Popen(["sleep", "60"], close_fds=False) as child:
        try:
            lock.release()
            lock_data_dir(tmp_path).release()
        finally:
            child.kill()


def test_the_holder_before_us_may_have_crashed(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("12345\n")
    with lock_data_dir(tmp_path) as lock:
        assert lock.left_by_crash


def test_a_path_that_is_no_directory_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UpError, match=r"^data directory .*file can't be used: [^\n]+$"):
        lock_data_dir(tmp_path / "file")


def test_a_key_is_made_once_and_private(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    (key,) = secret_keys(settings)
    assert len(key) == 32
    assert secret_keys(settings) == (key,)
    assert stat.S_IMODE((tmp_path / "data" / "secret.key").stat().st_mode) == 0o600
    assert [found.name for found in (tmp_path / "data").iterdir()] == ["secret.key"]


def test_a_configured_key_needs_no_file(tmp_path: Path) -> None:
    assert secret_keys(Settings(data_dir=tmp_path, secret_key=b"k" * 32)) == (b"k" * 32,)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_file_readable_by_others_is_refused(tmp_path: Path, mode: int) -> None:
    settings = Settings(data_dir=tmp_path)
    secret_keys(settings)
    (tmp_path / "secret.key").chmod(mode)
    with pytest.raises(UpError, match=rf"\(mode {mode:04o}\): run chmod 600"):
        secret_keys(settings)


@pytest.mark.parametrize("content", ["", "not base64!", "c2hvcnQ=", "ключ"])
def test_a_damaged_key_is_refused_and_kept(tmp_path: Path, content: str) -> None:
    path = tmp_path / "secret.key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(UpError, match="is damaged"):
        secret_keys(Settings(data_dir=tmp_path))
    assert path.read_text() == content
