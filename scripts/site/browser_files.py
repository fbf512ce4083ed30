"""Mermaid, which draws the diagrams: fetched by npm as package-lock.json pins it, served by the site itself."""

import shutil
import subprocess
from pathlib import Path

from scripts.node import install_node, installed_node, npm_command

HERE = Path(__file__).parent
_MODULES = HERE / "node_modules"
MERMAID = _MODULES / "mermaid" / "dist" / "mermaid.min.js"
_STAMP = _MODULES / "installed"


def fetch() -> None:
    """Does nothing where it is there already; raises CalledProcessError where it can't be had."""
    wanted = (HERE / "package-lock.json").read_text(encoding="utf-8")
    if MERMAID.exists() and _STAMP.exists() and _STAMP.read_text(encoding="utf-8") == wanted:
        return
    node = installed_node() or install_node()
    shutil.rmtree(_MODULES, ignore_errors=True)
    install = [*npm_command(node), "ci", "--ignore-scripts", "--loglevel=error"]
    subprocess.run(install, cwd=HERE, stdout=subprocess.DEVNULL, check=True)
    _STAMP.write_text(wanted, encoding="utf-8")
