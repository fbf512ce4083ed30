"""`become.py UID GID FOLDER DOORS`: gives up root, then says what it still can. FOLDER holds a package `late`."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from steward.supervisor.account import SystemAccount
from steward.supervisor.doors import Doors
from steward.supervisor.privileges import become

account, folder = SystemAccount(int(sys.argv[1]), int(sys.argv[2])), sys.argv[3]
sys.path.append(folder)
import late  # type: ignore[import-not-found]  # noqa: E402, F401  (so that its folder counts as one of code)

doors = Doors(account)
become(account)
closed = [str(path) for path in doors.use()] if sys.argv[4] == "doors" else []
said: dict[str, object] = {"closed": closed, "groups": os.getgroups(), "HOME": os.environ["HOME"]}
said["ids"] = [*os.getresuid(), *os.getresgid()]
for name, attempt in {
    "setuid": lambda: os.setuid(0),
    "setresuid": lambda: os.setresuid(-1, 0, -1),
    "setgid": lambda: os.setgid(0),
    "setgroups": lambda: os.setgroups([0]),
    "chroot": lambda: os.chroot("/"),
    "by its path": lambda: list(Path(folder).iterdir()),
}.items():
    with suppress(PermissionError):
        attempt()
        said.setdefault("could", []).append(name)  # type: ignore[attr-defined]
try:
    from late import part

    said["late"] = part.WORD
except ImportError:
    said["late"] = None
print(json.dumps(said), flush=True)
