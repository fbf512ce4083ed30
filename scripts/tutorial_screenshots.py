"""Takes the pictures of the facility manager's tutorial, on the walk that its test goes, into docs/images/tutorial/.

    python -m scripts.tutorial_screenshots

The walk changes the demo, so it wants a new one: SCREENSHOTS_SERVICE and SCREENSHOTS_PASSWORD name a service without earlier changes."""

import sys

from playwright.sync_api import Page
from tests.tutorials.facility_manager import FirstHour

from scripts.screenshots import SETTLED_MS, TOUR_FOLDER, demo_in_browser

FOLDER = TOUR_FOLDER / "tutorial"


def _take(page: Page, name: str) -> None:
    page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
    page.wait_for_timeout(SETTLED_MS)
    page.screenshot(path=FOLDER / f"{name}.png")
    sys.stdout.write(f"{name}\n")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with demo_in_browser() as (browser, address, password):
        page = browser.new_page(
            base_url=address, viewport={"width": 1100, "height": 680}, timezone_id="Europe/Berlin"
        )
        FirstHour(page, password, lambda name: _take(page, name)).walk()


if __name__ == "__main__":
    main()
