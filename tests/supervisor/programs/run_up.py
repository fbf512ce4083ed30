"""`run_up.py DATA_DIR PORT FOLDER API_KIND WORKER_KIND`: `up` with tiny children. Says what an operator would read."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from steward.settings import Settings
from steward.supervisor.up import Service, UpError, up

data_dir, port, folder, *kinds = sys.argv[1:]
child = Path(__file__).with_name("child.py")


def say(line: str) -> None:
    print(line, flush=True)


def prepare(url: str, keys: Sequence[bytes], address: str) -> Sequence[str]:
    say(f"prepared {url} {len(keys[0])} {address}")
    return ["ready"]


try:
    code = up(
        Settings(
            data_dir=Path(data_dir),
            port=int(port),
            api_processes=1,
            shutdown_seconds=10,
            metrics_address=None,
        ),
        Service(
            argv={
                name: (sys.executable, str(child), kind, folder)
                for name, kind in zip(("api", "worker"), kinds, strict=True)
            },
            prepare=prepare,
        ),
        echo=say,
        log=say,
        environment=os.environ,
    )
except UpError as error:
    say(str(error))
    code = 2
sys.exit(code)
