"""Shoots every screen of the demo in light, dark and at the width of a phone, into screenshots/.

    python -m scripts.screenshots [NAME ...]
    python -m scripts.screenshots --tour

Names of screens (or their beginnings) shoot only those; the tour is what the README shows, in docs/images/. What the browser complains about is printed, and so are pages that are
wider than the screen. SCREENSHOTS_SERVICE and SCREENSHOTS_PASSWORD name a service with the demo that runs already."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from tests.support.launching import remove_cluster, temporary_folder
from tests.support.processes import UpProcess
from tests.support.screens import ADMINISTRATOR, MODES, NOBODY, SCREENS, Mode, Screen, find_ids

from scripts.chromium import MISSING, find_chromium
from steward.demo.people import LOGINS

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "screenshots"
TOUR_FOLDER = ROOT / "docs" / "images"
TOUR = (
    ("today", "light"),
    ("work-orders-board", "light"),
    ("bookings", "light"),
    ("asset", "dark"),
    ("work-order-technician", "phone"),
)
# What moves by itself has come, or won't.
SETTLED_MS = 700
_ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]


@contextmanager
def demo_in_browser() -> Iterator[tuple[Browser, str, str]]:
    """A browser, the address of a service with the demo, and the password of its people."""
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit(MISSING)
    with _demo_service() as (address, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        yield browser, address, password
        browser.close()


@contextmanager
def _demo_service() -> Iterator[tuple[str, str]]:
    if "SCREENSHOTS_SERVICE" in os.environ:
        yield os.environ["SCREENSHOTS_SERVICE"], os.environ["SCREENSHOTS_PASSWORD"]
        return
    with temporary_folder("screenshots") as folder:
        up = UpProcess(folder / "log", folder / "data", "--demo", STEWARD_SECRET_KEY="")
        try:
            # Printed once the service is ready.
            up.wait_until_says("with the password ")
            yield up.base_url, re.findall(r"with the password (\S+)", up.said)[0]
        finally:
            up.stop()
            remove_cluster(up.data_dir)


class Photographer:
    def __init__(self, browser: Browser, address: str, password: str) -> None:
        self._browser = browser
        self._address = address
        self._password = password
        self._cookies: dict[str, list[object]] = {NOBODY: []}
        self.complaints = 0

    def ids(self) -> dict[str, str]:
        context = self._context(MODES[0], ADMINISTRATOR)
        try:
            return find_ids(lambda path: context.request.get(path).text())
        finally:
            context.close()

    def shoot(self, screens: list[Screen], mode: Mode, ids: dict[str, str], folder: Path) -> None:
        for role in dict.fromkeys(screen.role for screen in screens):
            context = self._context(mode, role)
            page = self._page(context, mode)
            for screen in screens:
                if screen.role == role:
                    self._shoot_one(page, screen, mode, ids, folder)
            context.close()

    def _page(self, context: BrowserContext, mode: Mode) -> Page:
        page = context.new_page()
        page.on("console", lambda message: self._complain(mode, page, message.text))
        page.on("pageerror", lambda error: self._complain(mode, page, str(error)))
        return page

    def _shoot_one(self, page: Page, screen: Screen, mode: Mode, ids: dict[str, str], folder: Path) -> None:
        page.goto(screen.address(ids))
        page.wait_for_timeout(SETTLED_MS)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > mode.width:
            self._complain(mode, page, f"{width} pixels wide")
        # Of the README's, what fits on a screen is enough.
        page.screenshot(path=folder / f"{screen.name}-{mode.name}.png", full_page=folder is FOLDER)

    def _complain(self, mode: Mode, page: Page, text: str) -> None:
        if "status of 404" in text and page.url.endswith("_none"):
            return
        self.complaints += 1
        sys.stdout.write(f"{mode.name} {page.url}: {text}\n")

    def _context(self, mode: Mode, role: str) -> BrowserContext:
        context = self._browser.new_context(
            base_url=self._address,
            viewport={"width": mode.width, "height": mode.height},
            color_scheme="dark" if mode.dark else "light",
            timezone_id="Europe/Berlin",
        )
        if role not in self._cookies:
            self._log_in(context, role)
            self._cookies[role] = list(context.cookies())
        context.add_cookies(self._cookies[role])  # type: ignore[arg-type]
        return context

    def _log_in(self, context: BrowserContext, role: str) -> None:
        page = context.new_page()
        page.goto("/app/login")
        page.get_by_label("E-mail").fill(next(person.email for person in LOGINS if person.role == role))
        page.get_by_label("Password").fill(self._password)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/app")
        page.close()


def main(names: list[str]) -> int:
    tour = names == ["--tour"]
    folder = TOUR_FOLDER if tour else FOLDER
    folder.mkdir(exist_ok=True)
    count = 0
    with demo_in_browser() as (browser, address, password):
        photographer = Photographer(browser, address, password)
        ids = photographer.ids()
        for mode in MODES:
            screens = [
                screen
                for screen in SCREENS
                if ((screen.name, mode.name) in TOUR if tour else screen.name.startswith(tuple(names) or ""))
            ]
            photographer.shoot(screens, mode, ids, folder)
            count += len(screens)
    sys.stdout.write(
        f"{count} pictures in {folder.relative_to(ROOT)}/, {photographer.complaints} complaints\n"
    )
    return 1 if photographer.complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
