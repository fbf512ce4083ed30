"""Installs locked dependencies and our own packages into the environment that runs it; `scripts/setup` does.

Only what comes with Python is imported here: there is nothing else yet.
"""

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
# `all` holds everything that `run` does.
LOCKS = {
    "run": ("requirements.txt", "requirements-build.txt"),
    "all": ("requirements-dev.txt",),
}
OUR_PACKAGES = (".", "clients/python")
_STAMP = Path(sys.prefix, "installed")
PIP = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check")
_PINNED = re.compile(r"^[\w.-]+==", re.MULTILINE)
_COLLECTED = re.compile(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)")


def wanted_stamp(for_whom: str) -> str:
    """Changes with the locked versions, and with what our own packages say of themselves."""
    sources = [*LOCKS[for_whom], *(f"{package}/pyproject.toml" for package in OUR_PACKAGES), __file__]
    digest = hashlib.sha256(b"\0".join((ROOT / source).read_bytes() for source in sources))
    return f"{for_whom} {digest.hexdigest()}"


def is_installed(for_whom: str) -> bool:
    if not _STAMP.exists():
        return False
    return _STAMP.read_text(encoding="utf-8") in {wanted_stamp(for_whom), wanted_stamp("all")}


def collected(lines: Iterator[str]) -> Iterator[str]:
    """The packages, one by one, as pip comes to them: it goes through a lock file from top to bottom."""
    seen = set()
    for line in lines:
        if (found := _COLLECTED.match(line)) and found[1] not in seen:
            seen.add(found[1])
            yield found[1]


def _install_locked(locks: Sequence[str]) -> None:
    total = sum(len(_PINNED.findall((ROOT / lock).read_text(encoding="utf-8"))) for lock in locks)
    _say(f"setup: installing {total} locked packages into {Path(sys.prefix).name}")
    command = [*PIP, "--require-hashes", "--progress-bar=off"]
    for lock in locks:
        command += ["-r", lock]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as pip:
        assert pip.stdout is not None  # noqa: S101 (for the types: it is a pipe)
        for number, package in enumerate(collected(iter(pip.stdout)), start=1):
            _show_progress(number, total, package)
    _clear_progress()
    if pip.returncode:
        sys.exit("setup: pip could not install the locked packages; its lines above say why")


def _install_ours() -> None:
    command = [*PIP, "--quiet", "--no-deps", "--no-build-isolation"]
    for package in OUR_PACKAGES:
        command += ["--editable", package]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit("setup: pip could not install the packages of this checkout; its lines above say why")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def _show_progress(number: int, total: int, package: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K  {number} of {total}: {package}", end="", file=sys.stderr, flush=True)  # noqa: T201
    elif number % 10 == 0:
        _say(f"  {number} of {total}")


def _clear_progress() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)  # noqa: T201


def main(for_whom: str) -> None:
    if is_installed(for_whom):
        return
    # A run that breaks off has installed nothing that can be relied on.
    _STAMP.unlink(missing_ok=True)
    _install_locked(LOCKS[for_whom])
    _install_ours()
    _STAMP.write_text(wanted_stamp(for_whom), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
