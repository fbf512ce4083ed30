"""`become.py UID GID FOLDER CODE_ACCESS`: gives up root, then says what it still can. FOLDER holds a package `late`."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from steward.supervisor.code_access import CodeAccess
from steward.supervisor.privileges import switch_account
from steward.supervisor.system_account import SystemAccount

account, folder = SystemAccount(int(sys.argv[1]), int(sys.argv[2])), sys.argv[3]
sys.path.append(folder)
import late  # type: ignore[import-not-found]  # noqa: E402, F401  (so that its folder counts as one of code)

code_access = CodeAccess(account)
switch_account(account)
closed = [str(path) for path in code_access.apply()] if sys.argv[4] == "code_access" else []
report: dict[str, object] = {"closed": closed, "groups": os.getgroups(), "HOME": os.environ["HOME"]}
report["ids"] = [*os.getresuid(), *os.getresgid()]
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
        report.setdefault("could", []).append(name)  # type: ignore[attr-defined]
try:
    from late import part

    report["late"] = part.WORD
except ImportError:
    report["late"] = None
print(json.dumps(report), flush=True)
