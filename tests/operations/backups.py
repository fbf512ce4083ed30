"""Backups as an operator makes them, and as they are opened without Steward."""

import shutil
import subprocess
import tarfile
from pathlib import Path

import pyrage
from tests.operations.command import PASSPHRASE, done

from steward.supervisor.binaries import embedded_programs

[PROGRAMS] = embedded_programs()


def back_up(path: Path, url: str) -> str:
    return done("backup", path, "--passphrase-file", "-", "--database-url", url, typed=PASSPHRASE)


def restore(path: Path, url: str) -> str:
    return done("restore", path, "--passphrase-file", "-", "--database-url", url, typed=PASSPHRASE)


def unpack(path: Path, into: Path, identity: str | None = None) -> Path:
    """With tar and age, or with pyrage where age isn't installed; returns the folder with what was sealed."""
    into.mkdir()
    with tarfile.open(path) as outer:
        outer.extractall(into, filter="data")
    if identity is None:
        identity = pyrage.passphrase.decrypt((into / "identity.age").read_bytes(), PASSPHRASE).decode()
    (into / "identity.txt").write_text(identity, encoding="utf-8")
    if shutil.which("age"):
        subprocess.run(
            ["age", "-d", "-i", "identity.txt", "-o", "backup.tar", "backup.tar.age"], cwd=into, check=True
        )
    else:
        opened = pyrage.x25519.Identity.from_str(identity.strip())
        pyrage.decrypt_file(str(into / "backup.tar.age"), str(into / "backup.tar"), [opened])
    subprocess.run(["tar", "xf", "backup.tar"], cwd=into, check=True)
    return into


def pg_restore(folder: Path, url: str) -> None:
    """As README.txt in a backup says."""
    command = (
        f"cat database/* | {PROGRAMS}/pg_restore --no-owner --no-privileges --schema=public --dbname='{url}'"
    )
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
