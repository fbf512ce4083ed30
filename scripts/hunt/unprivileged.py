"""A copy of the work tree that belongs to an account without rights, with an environment of its own."""

import os
import pwd
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

COPY = Path(".hunt") / "checkout"
_ACCOUNT = "nobody"
_INTERPRETERS = (sys.base_prefix + "/bin/python3", "/usr/bin/python3")
_NEW_ENOUGH = "import sys, ensurepip; sys.exit(sys.version_info < (3, 11))"


def impossible() -> str | None:
    if os.geteuid() != 0:
        return "not root: every other condition is unprivileged already"
    if shutil.which("setpriv") is None:
        return "setpriv is not installed"
    if _interpreter() is None:
        return f"no Python 3.11 with venv that {_ACCOUNT} may run"
    return None


def prepare() -> None:
    """Brings the copy up to date; sets up its environment where that is missing."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(os.path.exists, names):
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, COPY / name)
    # Tests ask git what belongs to the project.
    shutil.rmtree(COPY / ".git", ignore_errors=True)
    shutil.copytree(".git", COPY / ".git")
    account = pwd.getpwnam(_ACCOUNT)
    subprocess.run(["chown", "-R", f"{account.pw_uid}:{account.pw_gid}", str(COPY)], check=True)
    subprocess.run(
        command("make", "setup"),
        env={**os.environ, **home(), "PYTHON": str(_interpreter())},
        cwd=COPY,
        check=True,
    )


def command(*words: str) -> list[str]:
    account = pwd.getpwnam(_ACCOUNT)
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups", *words]


def home() -> dict[str, str]:
    folder = COPY.resolve().parent / "home"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.chown(folder, _ACCOUNT)
    return {"HOME": str(folder)}


@cache
def _interpreter() -> str | None:
    for candidate in _INTERPRETERS:
        # By way of a shell: the program that setpriv runs itself is still opened with the rights of root.
        tried = command("sh", "-c", '"$0" -c "$1"', candidate, _NEW_ENOUGH)
        if subprocess.run(tried, capture_output=True, check=False).returncode == 0:
            return candidate
    return None
