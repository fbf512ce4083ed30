"""What systemd does with units, in a folder that stands for a machine: so guides can be followed where systemd doesn't run.

`python -m tests.support.systemctl ROOT enable --now NAME…` reads `ROOT/etc/systemd/system/NAME.service` and starts what it says, with its
environment. Accounts and sandboxes are left out; `systemd-analyze` looks at those.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
from tests.support.machine import OVERRIDES, at_home
from tests.support.waiting import limit, wait_for

_SECONDS = 90


class Unit:
    """One service, by its name without the ending."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.name = name.removesuffix(".service")
        template, at, instance = self.name.partition("@")
        file = root / "etc/systemd/system" / f"{template}{at}.service"
        text = at_home(file.read_text(encoding="utf-8").replace("%i", instance), root)
        pairs = (line.partition("=") for line in text.splitlines() if "=" in line and line[0] not in "#;")
        self._lines = [(name, value) for name, _, value in pairs]
        self._pid_file = root / "run" / f"{self.name}.pid"

    def _values(self, name: str) -> list[str]:
        return [value for found, value in self._lines if found == name]

    def _value(self, name: str, default: str = "") -> str:
        return (self._values(name) or [default])[-1]

    def _credentials(self) -> Path:
        """Where the service finds the files that it is given and couldn't read itself."""
        folder = self.root / "credentials" / self.name
        folder.mkdir(parents=True, exist_ok=True)
        for given in self._values("LoadCredential"):
            name, _, file = given.partition(":")
            shutil.copy(file, folder / name)
        return folder

    def _command(self, name: str) -> list[str]:
        return [word.replace("%%", "%").replace("$$", "$") for word in shlex.split(self._value(name))]

    def _environment(self) -> dict[str, str]:
        """What a file says wins, as it does for systemd."""
        files = [Path(file.removeprefix("-")) for file in self._values("EnvironmentFile")]
        files += [self.root / OVERRIDES]
        lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        given = [*self._values("Environment"), *(line for line in lines if line and not line.startswith("#"))]
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("STEWARD_")}
        handed = {"CREDENTIALS_DIRECTORY": str(self._credentials())}
        return {**inherited, **handed, **dict(pair.split("=", 1) for pair in given)}

    def _process(self) -> psutil.Process | None:
        """None where it isn't running; a zombie isn't either."""
        try:
            process = psutil.Process(int(self._pid_file.read_text(encoding="utf-8")))
            return None if process.status() == psutil.STATUS_ZOMBIE else process
        except (FileNotFoundError, psutil.NoSuchProcess):
            return None

    def start(self) -> int:
        if self._process() is not None:
            return 0
        folder = Path(self._value("WorkingDirectory", str(self.root)))
        folder.mkdir(parents=True, exist_ok=True)
        with (self.root / "log" / f"{self.name}.log").open("ab") as log:
            process = subprocess.Popen(
                self._command("ExecStart"),
                env=self._environment(),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if self._value("Type") != "oneshot":
            self._pid_file.write_text(str(process.pid), encoding="utf-8")
        elif code := process.wait():
            return code
        for command in self._values("ExecStartPost"):
            subprocess.run(shlex.split(command), check=True, timeout=limit(_SECONDS))
        return 0

    def stop(self) -> int:
        process = self._process()
        if process is not None:
            process.send_signal(signal.Signals[self._value("KillSignal", "SIGTERM")])
            try:
                wait_for(f"the end of {self.name}", lambda: self._process() is None, _SECONDS)
            except AssertionError:
                process.kill()
                return 1
        self._pid_file.unlink(missing_ok=True)
        return 0

    def restart(self) -> int:
        return self.stop() or self.start()

    def reload(self) -> int:
        process = self._process()
        assert process is not None, f"{self.name} is not running"
        command = self._value("ExecReload").replace("$MAINPID", str(process.pid))
        return subprocess.run(shlex.split(command), check=False).returncode


def main(root: Path, verb: str, *names: str) -> int:
    if verb == "daemon-reload":
        return 0
    # No test waits for a timer; only the existence of its unit is checked.
    units = [Unit(root, name) for name in names if name != "--now" and not name.endswith(".timer")]
    for name in names:
        if name.endswith(".timer"):
            Unit(root, name.removesuffix(".timer"))
            assert (root / "etc/systemd/system" / name).exists(), name
    verbs = {
        "enable": Unit.start, "start": Unit.start, "stop": Unit.stop, "restart": Unit.restart, "reload": Unit.reload
    }  # fmt: skip
    return max((verbs[verb](unit) for unit in units), default=0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
