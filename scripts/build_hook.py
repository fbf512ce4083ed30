"""Asks for the browser files before a wheel is built: without them the web app would be half of one."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_VENDOR = Path("src", "steward", "web", "static", "vendor")


class BrowserFiles(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's)
        # An editable install reads the folder, whenever it comes.
        if version != "editable" and not Path(self.root, _VENDOR, "LICENSES.txt").exists():
            raise RuntimeError(f"The browser files in {_VENDOR} are missing; `make setup` fetches them.")
