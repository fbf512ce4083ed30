"""The hour of docs/tutorials/first-hour-facility-manager.md in a browser: a test walks it, and the page's pictures are taken on the way."""

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

ORDER = "Door of the pavilion closes too fast"
DEVICE = "Loading dock door"


class FirstHour:
    """A reader who follows the page. What it shows in bold is what they press, fill in or look for; `used` remembers it."""

    def __init__(self, page: Page, password: str, picture: Callable[[str], None]) -> None:
        self._page, self._password, self._picture = page, password, picture
        self.used: set[str] = set()

    def walk(self) -> None:
        self.log_in()
        self.finish_an_overdue_order()
        self.make_a_place_and_an_asset()
        self.go_on_a_round()
        self.book_a_room()
        self.receive_a_visitor()
        self.answer_an_alert()
        self.read_a_report()
        self.invite_a_colleague()

    def log_in(self) -> None:
        self._page.goto("/app")
        self._fill("E-mail", "admin@example.com")
        self._fill("Password", self._password)
        self._press("Log in")
        expect(self._title()).to_have_text("Hello, Ada Byron")
        self._picture("today")

    def finish_an_overdue_order(self) -> None:
        self._tile("Overdue")
        expect(self._page.get_by_role("checkbox", name="Overdue")).to_be_checked()
        self._open(ORDER)
        self._pick("Assigned to", "Grace Okafor")
        self._press("Assign")
        expect(self._page.get_by_role("combobox", name="Assigned to")).to_have_value("Grace Okafor")
        self._press("Start")
        self._fill("New item", "Slow the closer down")
        self._press("Add")
        self._tick("Slow the closer down")
        self._fill("Comment", "Two turns of the lower screw.")
        self._press("Comment")
        expect(self._page.get_by_text("Two turns of the lower screw.")).to_be_visible()
        self._picture("order")
        self._press("Complete")
        expect(self._page.locator(".badge", has_text="Completed").first).to_be_visible()

    def make_a_place_and_an_asset(self) -> None:
        self._menu("Locations")
        self._open("New location")
        self._pick("Inside", "Visitor pavilion")
        self._fill("Name", "Bicycle store")
        self._choose("Type", "Space")
        self._press("Create location")
        expect(self._title()).to_have_text("Bicycle store")
        self._menu("Assets")
        self._open("New asset")
        self._fill("Name", "Door of the bicycle store")
        self._pick("Type", "Fire door")
        self._pick("Location", "Bicycle store")
        self._press("Create asset")
        expect(self._title()).to_have_text("Door of the bicycle store")
        self._menu("Assets")
        self._fill("Search assets", "Loading dock")
        self._open(DEVICE)
        self._heading("Charts")
        self._picture("asset")

    def go_on_a_round(self) -> None:
        self._menu("Forms")
        self._open("New form")
        self._fill("Name", "Door round")
        for at, (question, kind) in enumerate(
            (("Does it close by itself?", "Pass or fail"), ("Seconds until shut", "Number"))
        ):
            self._press("Add a question")
            row = self._page.locator("[data-row]").nth(at)
            row.get_by_label(self._use("Question")).fill(question)
            row.get_by_label(self._use("Kind")).select_option(label=self._use(kind))
        self._picture("form")
        self._press("Create form")
        self._press("Publish")
        self._open("Fill in")
        self._pick("Where?", "Bicycle store")
        self._page.get_by_role("radio", name=self._use("Pass")).check()
        self._fill("Seconds until shut", "4")
        self._press("Send")
        expect(self._page.get_by_role("status")).to_contain_text("Sent.")

    def book_a_room(self) -> None:
        self._menu("Bookings")
        self._open("Find free")
        self._choose("Type", "Room")
        self._press("Find")
        free = self._page.get_by_role("region", name=re.compile("^Free"))
        free.get_by_role("link", name=re.compile("^Book ")).first.click()
        self._use("Book")
        self._fill("Title", "Handover")
        self._press("Book")
        expect(self._page.get_by_text("Handover").first).to_be_visible()
        self._menu("Bookings")
        self._picture("bookings")

    def receive_a_visitor(self) -> None:
        self._menu("Visitors")
        self._open("Register visitor")
        self._fill("Name", "Rosa Lind")
        self._fill("Company", "Aufwind Lifts")
        self._pick("Location", "Visitor pavilion")
        self._press("Register visitor")
        expect(self._title()).to_have_text("Rosa Lind")
        self._press("Check in")
        self._menu("Visitors")
        expect(self._page.get_by_role("region", name=re.compile("^On site"))).to_contain_text("Rosa Lind")
        self._use("On site")
        self._picture("visitors")
        self._open("Evacuation list")
        expect(self._page.get_by_text("Rosa Lind")).to_be_visible()
        # It is made for paper and has no menu.
        self._page.go_back()

    def answer_an_alert(self) -> None:
        self._menu("Alerts")
        row = self._page.get_by_role("row").filter(has_text=DEVICE).filter(has_text="Battery low")
        self._use("Battery low")
        row.get_by_role("link", name=re.compile("^New order")).click()
        self._use("New order")
        self._choose("Priority", "High")
        self._press("Create work order")
        expect(self._title()).to_contain_text(DEVICE)

    def read_a_report(self) -> None:
        self._menu("Reports")
        self._open("SLA attainment by priority and month")
        expect(self._page.get_by_role("link", name=self._use("CSV"))).to_be_visible()
        self._picture("report")

    def invite_a_colleague(self) -> None:
        self._menu("Settings")
        self._open("Users")
        self._open("Invite a person")
        self._fill("Name", "Mira Sand")
        self._fill("E-mail", "mira@example.com")
        self._page.get_by_role("checkbox", name=re.compile(f"^{self._use('Technician')} ")).check()
        self._press("Invite")
        expect(self._page.get_by_text("Mira Sand").first).to_be_visible()

    def _use(self, words: str) -> str:
        self.used.add(words)
        return words

    def _title(self) -> Locator:
        return self._page.get_by_role("heading", level=1)

    def _heading(self, words: str) -> None:
        expect(self._page.get_by_role("heading", name=self._use(words))).to_be_visible()

    def _menu(self, entry: str) -> None:
        self._page.get_by_role("navigation", name="Main").get_by_role(
            "link", name=self._use(entry), exact=True
        ).click()
        expect(self._title()).to_be_visible()

    def _tile(self, words: str) -> None:
        self._page.get_by_role("main").get_by_role(
            "link", name=re.compile(f"^\\d+ {self._use(words)}$")
        ).click()

    def _open(self, link: str) -> None:
        self._page.get_by_role("main").get_by_role("link", name=self._use(link)).first.click()

    def _press(self, button: str) -> None:
        self._page.get_by_role("main").get_by_role("button", name=self._use(button), exact=True).click()

    def _field(self, label: str) -> Locator:
        return self._page.get_by_label(re.compile(f"^{re.escape(self._use(label))}( \\(optional\\))?$"))

    def _fill(self, label: str, text: str) -> None:
        self._field(label).fill(text)

    def _choose(self, label: str, option: str) -> None:
        self._page.get_by_role("main").get_by_role("combobox", name=self._use(label)).select_option(
            label=self._use(option)
        )

    def _tick(self, item: str) -> None:
        box = self._page.get_by_role("checkbox", name=item)
        box.click()
        expect(box).to_have_attribute("aria-checked", "true")

    def _pick(self, label: str, name: str) -> None:
        """Types a name into a field that proposes records, and takes the proposal."""
        field = self._page.get_by_role("main").get_by_role("combobox", name=self._use(label))
        field.fill(self._use(name))
        self._page.locator(".options:not([hidden]) [role=option]").filter(has_text=name).first.click()
        expect(field).to_have_value(name)
