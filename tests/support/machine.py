"""A machine in a folder, on which the commands of a guide are run as they are written.

/etc, /opt and /var are folders in it, `systemctl` starts what the units say (`tests/support/systemctl.py`), accounts aren't made. All the
rest is real: the shell, PostgreSQL, PgBouncer, Steward.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.docs.pages import Page
from tests.support.launching import Stoppable
from tests.support.waiting import limit

# Settings of all services beside what the guide says, such as a port that is free here.
OVERRIDES = "overrides.env"
_ROOT = Path(__file__).parents[2]
_FOLDERS = (
    "bin",
    "log",
    "run",
    "etc/systemd/system",
    "etc/pgbouncer",
    "opt/steward/bin",
    "var/lib",
    "var/backups",
)
# Paths that belong to the machine, wherever they stand in a line.
_PLACES = re.compile(r"(?<![\w./-])/(?=(?:etc|opt/steward|var/lib|var/backups)/)")
# The accounts of a guide need not exist here; a missing one is replaced by the account of the test.
_RUNUSER = """\
#!/bin/sh
[ "$1" = -u ] && user=$2 && [ "$3" = -- ] && shift 3
id "$user" >/dev/null 2>&1 || exec "$@"
exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
"""
# The same for whom a file is given to.
_INSTALL = """\
#!/bin/bash
if [ "$2" = -o ] && ! id "$3" >/dev/null 2>&1; then set -- "$1" "${@:6}"; fi
exec /usr/bin/install "$@"
"""


def at_home(text: str, root: Path) -> str:
    """With the places of the machine in its folder."""
    return _PLACES.sub(f"{root}/", text)


class Machine(Stoppable):
    def __init__(self, replaced: Mapping[str, str], **overrides: str) -> None:
        """`replaced` is what a guide says, by what is true here: addresses and ports."""
        self._replaced = replaced
        self.root = Path(tempfile.mkdtemp(prefix="steward-machine-"))
        # Other accounts own some of it.
        self.root.chmod(0o755)
        for folder in _FOLDERS:
            (self.root / folder).mkdir(parents=True)
        lines = "".join(f"{name}={value}\n" for name, value in overrides.items())
        (self.root / OVERRIDES).write_text(lines, encoding="utf-8")
        self._command(
            "bin/systemctl",
            f"#!/bin/sh\nPYTHONPATH={_ROOT} STEWARD_TEST_SLOWNESS={limit(1):g} "
            f'exec {sys.executable} -m tests.support.systemctl {self.root} "$@"\n',
        )
        self._command("bin/useradd", "#!/bin/sh\n")
        self._command("bin/runuser", _RUNUSER)
        self._command("bin/install", _INSTALL)
        self._command("opt/steward/bin/steward", f'#!/bin/sh\nexec {sys.executable} -m steward "$@"\n')

    def _command(self, name: str, text: str) -> None:
        file = self.root / name
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def add_unit(self, name: str, *lines: str) -> None:
        """What a package of the distribution brings along."""
        file = self.root / "etc/systemd/system" / f"{name}.service"
        file.write_text("\n".join(("[Service]", *lines)) + "\n", encoding="utf-8")

    def follow(self, code: str, **environment: str) -> str:
        """Runs a block of a guide; returns what it said."""
        for said, here in self._replaced.items():
            code = code.replace(said, here)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("STEWARD_")}
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", at_home(code, self.root)],
            env={**inherited, "PATH": f"{self.root}/bin:{os.environ['PATH']}", **environment},
            cwd=_ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=limit(300),
            check=False,
        )
        assert ran.returncode == 0, f"{code}\n{ran.stdout}\n{self.logs()}"
        return ran.stdout

    def settings(self) -> dict[str, str]:
        """Those of /etc/steward/steward.env."""
        text = (self.root / "etc/steward/steward.env").read_text(encoding="utf-8")
        return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and line[0] != "#")

    def change_settings(self, **settings: str) -> None:
        """One that is empty is left out."""
        kept = {name: value for name, value in {**self.settings(), **settings}.items() if value}
        file = self.root / "etc/steward/steward.env"
        file.write_text("".join(f"{name}={value}\n" for name, value in kept.items()), encoding="utf-8")

    def logs(self) -> str:
        return "\n".join(
            f"== {log.name}\n{log.read_text(encoding='utf-8')[-3000:]}"
            for log in sorted((self.root / "log").iterdir())
        )

    def stop(self) -> None:
        """Whatever was started, the last first; the folder goes, too."""
        started = sorted((self.root / "run").glob("*.pid"), key=lambda file: file.stat().st_mtime)
        try:
            for file in reversed(started):
                self.follow(f"systemctl stop {file.stem}")
        finally:
            shutil.rmtree(self.root)


def blocks_for(page: str, test: str) -> Iterable[str]:
    """The commands of a page that are marked for a test, in their order."""
    found = [
        block.code
        for block in Page.read(page).blocks
        if block.note is not None and (block.note.kind, block.note.text) == ("run", test)
    ]
    assert found, f"{page} has nothing for {test}"
    return found
