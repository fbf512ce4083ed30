"""How much memory a process takes, in MiB."""

import threading
from pathlib import Path

_PACE_SECONDS = 0.1
_KIBI = 1024


class MemoryWatch(threading.Thread):
    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._ended = threading.Event()
        self.before = self.peak = resident_mib(pid)

    def run(self) -> None:
        while not self._ended.wait(_PACE_SECONDS):
            self.peak = max(self.peak, resident_mib(self._pid))

    def end(self) -> None:
        self._ended.set()
        self.join()


def resident_mib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // _KIBI
    return 0
