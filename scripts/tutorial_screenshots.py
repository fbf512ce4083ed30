"""Takes the pictures of the facility manager's tutorial, on the walk that its test goes, into docs/images/tutorial/.

    python -m scripts.tutorial_screenshots

The walk changes the demo, so it wants a new one: SCREENSHOTS_SERVICE and SCREENSHOTS_PASSWORD name a service without earlier changes."""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from tests.tutorials.facility_manager import FirstHour

from scripts.chromium import MISSING, find_chromium
from scripts.screenshots import demo_service

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "images" / "tutorial"
# What moves by itself has come, or won't.
_SETTLED_MS = 700
_ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]


def _take(page: Page, name: str) -> None:
    page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    page.wait_for_timeout(_SETTLED_MS)
    page.screenshot(path=FOLDER / f"{name}.png")
    sys.stdout.write(f"{name}\n")


def main() -> int:
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit(MISSING)
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo_service() as (address, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        page = browser.new_page(
            base_url=address, viewport={"width": 1100, "height": 680}, timezone_id="Europe/Berlin"
        )
        FirstHour(page, password, lambda name: _take(page, name)).walk()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
