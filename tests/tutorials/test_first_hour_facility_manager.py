"""The facility manager's tutorial, step by step in a browser, and its pictures."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.demo.seeded import SeededDemo
from tests.tutorials.facility_manager import DEVICE, ORDER, FirstHour

pytestmark = pytest.mark.long

TUTORIAL = Path(__file__).parents[2] / "docs/tutorials/first-hour-facility-manager.md"
_KIB = 1024
_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]+\]\((.+?)\)")


def test_the_first_hour_follows_the_tutorial(demo: SeededDemo, browser: Browser) -> None:
    context = browser.new_context(base_url=demo.base_url, timezone_id="Europe/Berlin")
    taken: list[str] = []
    hour = FirstHour(context.new_page(), demo.demo.password, taken.append)
    hour.walk()
    context.close()
    text = TUTORIAL.read_text(encoding="utf-8")
    told = {" ".join(words.split()) for words in _BOLD.findall(text)}
    assert told == hour.used, "what is bold on the page is what the walk has used"
    assert [Path(picture).stem for picture in _PICTURE.findall(text)] == taken
    _check_what_it_has_done(demo)


def _check_what_it_has_done(demo: SeededDemo) -> None:
    people = {user["id"]: user["name"] for user in demo.all("/organizations/{orgId}/users")}
    orders = {order["title"]: order for order in demo.all("/organizations/{orgId}/work-orders")}
    assert orders[ORDER]["status"] == "Completed"
    assert people[orders[ORDER]["assigneeId"]] == "Grace Okafor"
    assert orders[f"Battery low: {DEVICE}"]["priority"] == "High"
    (place,) = demo.all("/organizations/{orgId}/locations", q="Bicycle store")
    (asset,) = demo.all("/organizations/{orgId}/assets", q="Door of the bicycle store")
    assert asset["locationId"] == place["id"]
    (form,) = demo.all("/organizations/{orgId}/forms", q="Door round")
    (submission,) = demo.all(f"/organizations/{{orgId}}/forms/{form['id']}/submissions")
    assert submission["answers"] == {"does_it_close_by_itself": "Pass", "seconds_until_shut": 4}
    assert "Handover" in {booking["title"] for booking in demo.all("/organizations/{orgId}/bookings")}
    (visitor,) = [one for one in demo.all("/organizations/{orgId}/visitors") if one["name"] == "Rosa Lind"]
    assert visitor["status"] == "CheckedIn"


def test_pictures_are_there_and_small() -> None:
    for picture in _PICTURE.findall(TUTORIAL.read_text(encoding="utf-8")):
        assert 10 * _KIB < (TUTORIAL.parent / picture).stat().st_size <= 120 * _KIB, picture
