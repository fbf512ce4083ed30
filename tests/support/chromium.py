"""The browser that tests start, or why they are skipped."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from scripts.chromium import MISSING, find_chromium
from tests.support.waiting import limit

_ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# How long an expectation, and whatever else Playwright waits for, may take: Playwright's own five seconds are for fast machines.
TIMEOUT_MS = limit(60_000)
expect.set_options(timeout=TIMEOUT_MS)


@contextmanager
def launched() -> Iterator[Browser]:
    chromium = find_chromium()
    if chromium is None:
        if os.environ.get("STEWARD_TEST_BROWSER") == "required":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS, timeout=TIMEOUT_MS)
        yield browser
        browser.close()
