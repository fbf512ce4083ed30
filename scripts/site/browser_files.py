"""Mermaid, which draws the diagrams: fetched by npm as package-lock.json pins it, served by the site itself."""

import shutil
from pathlib import Path

from scripts.node import install_modules

HERE = Path(__file__).parent
_MODULES = HERE / "node_modules"
MERMAID = _MODULES / "mermaid" / "dist" / "mermaid.min.js"
_STAMP = _MODULES / "installed"


def fetch() -> None:
    """Does nothing where it is there already; raises CalledProcessError where it can't be had."""
    wanted = (HERE / "package-lock.json").read_text(encoding="utf-8")
    if MERMAID.exists() and _STAMP.exists() and _STAMP.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(_MODULES, ignore_errors=True)
    install_modules(HERE)
    _STAMP.write_text(wanted, encoding="utf-8")
