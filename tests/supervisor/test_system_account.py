"""What another account may reach, and the copy of PostgreSQL for one that can't reach the wheel."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.supervisor.helpers import modes_of_parents

from steward.supervisor import binaries
from steward.supervisor.errors import UpError
from steward.supervisor.filesystem import ensure_private_folder
from steward.supervisor.system_account import SystemAccount, can_reach

STRANGER = SystemAccount(uid=54321, gid=54321)


@pytest.mark.parametrize(
    ("mode", "account", "reaches"),
    [
        (0o700, "owner", True),
        (0o700, "group", False),
        (0o700, "stranger", False),
        (0o710, "group", True),
        (0o701, "stranger", True),
        (0o701, "group", False),
        (0o677, "owner", False),
    ],
)
def test_folder_access_follows_the_mode_bits(
    open_folder: Path, mode: int, account: str, reaches: bool
) -> None:
    folder = open_folder / "folder"
    folder.mkdir()
    me = SystemAccount.owner_of(folder)
    accounts = {"owner": me, "group": SystemAccount(STRANGER.uid, me.gid), "stranger": STRANGER}
    folder.chmod(mode)
    assert can_reach(accounts[account], folder / "inside") is reaches


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can: sudo make test")
def test_an_account_that_can_not_reach_the_wheel_gets_a_copy_it_can_run(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "_usable_by", lambda account, site: False)
    before = modes_of_parents(open_folder / "x")
    previous = os.umask(0o077)
    try:
        programs = binaries.binaries_for(STRANGER, system_folder=open_folder / "system")
    finally:
        os.umask(previous)
    for program in ("initdb", "postgres"):
        said = subprocess.check_output(
            [programs / program, "--version"],
            user=STRANGER.uid,
            group=STRANGER.gid,
            extra_groups=[],
            text=True,
        )
        assert f"(PostgreSQL) {binaries.MAJOR_VERSION}" in said
    assert binaries.binaries_for(STRANGER, system_folder=open_folder / "system") == programs
    assert [found.name for found in (open_folder / "system").iterdir()] == [programs.parents[2].name]
    assert modes_of_parents(open_folder / "x") == before


def test_a_socket_folder_that_others_may_enter_is_refused(open_folder: Path) -> None:
    (open_folder / "taken").mkdir(mode=0o777)
    (open_folder / "taken").chmod(0o777)
    (open_folder / "link").symlink_to(open_folder)
    for name in ("taken", "link"):
        with pytest.raises(UpError, match="not a private folder"):
            ensure_private_folder(open_folder / name, SystemAccount.current())
