"""`supervise.py FOLDER GRACE KIND...`: a supervisor of children of these kinds; its log is its output."""

import os
import sys
from pathlib import Path

from steward.supervisor.signals import StopSignals
from steward.supervisor.supervisor import ChildSpec, Supervisor

folder, grace, *kinds = sys.argv[1:]
child = Path(__file__).with_name("child.py")
specs = [ChildSpec(kind, (sys.executable, str(child), kind, folder), os.environ) for kind in kinds]
with StopSignals() as stop:
    supervisor = Supervisor(specs, log=lambda line: print(line, flush=True), grace_seconds=float(grace))
    sys.exit(supervisor.run(stop))
