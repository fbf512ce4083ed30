"""Which Chromium tests and screenshots use."""

import shutil

MISSING = "Chromium is not installed: make browser"


def find_chromium() -> str | None:
    """The headless shell where there is one: the same engine without the windows of a browser, for half the CPU."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")
