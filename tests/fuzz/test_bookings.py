"""Bookings against a model: no two of a resource overlap, whatever is booked, moved, cancelled, and however many try at once."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, rule
from tests.fuzz.machines import Machine, expect, run
from tests.support.answers import data_of
from tests.support.organizations import Organization

HOUR = 3600
# Few hours and few lengths, so that bookings meet.
HOURS = st.integers(0, 8)
LENGTHS = st.integers(1, 3)
BUFFERS = {"plain": 0, "with a buffer": 15}
HOLDS = {"Confirmed", "CheckedIn"}


class Bookings(Machine):
    bookings = Bundle("bookings")

    @initialize()
    def resources(self) -> None:
        self.day = int(time.time()) // HOUR * HOUR + 24 * HOUR
        self.rooms = {
            name: self.organization.created(
                "resources", {"name": name, "type": "Room", "bufferMinutes": minutes}
            )["id"]
            for name, minutes in BUFFERS.items()
        }

    def path(self, id: str) -> str:
        return f"{self.organization.path}/bookings/{id}"

    def clashes(self, room: str, start: int, end: int, besides: str | None = None) -> list[str]:
        buffer = BUFFERS.get(room, 0) * 60
        return [
            id
            for id, other in self.known.items()
            if id != besides and other["room"] == room and other["status"] in HOLDS
            if start < other["end"] + buffer and other["start"] < end + buffer
        ]

    def post(self, room: str, start: int, end: int) -> httpx.Response:
        body = {"resourceId": self.rooms[room], "startTime": start, "endTime": end}
        return self.organization.api.post(f"{self.organization.path}/bookings", json=body)

    def booked(self, room: str, made: dict[str, Any], etag: str) -> str:
        model = {"room": room, "start": made["startTime"], "end": made["endTime"], "status": "Confirmed"}
        self.known[made["id"]] = {**model, "etag": etag}
        self.expect_event("booking.created", made["id"])
        return made["id"]

    @rule(target=bookings, room=st.sampled_from(sorted(BUFFERS)), hour=HOURS, length=LENGTHS)
    def book(self, room: str, hour: int, length: int) -> Any:
        start = self.day + hour * HOUR
        end = start + length * HOUR
        answer = self.post(room, start, end)
        if in_the_way := self.clashes(room, start, end):
            message = expect(answer, 409)
            assert any(id in message for id in in_the_way)
            return in_the_way[0]
        return self.booked(room, expect(answer, 201), answer.headers["ETag"])

    @rule(target=bookings, room=st.sampled_from(sorted(BUFFERS)), hour=HOURS)
    def book_at_the_same_moment(self, room: str, hour: int) -> Any:
        start = self.day + hour * HOUR
        in_the_way = self.clashes(room, start, start + HOUR)
        with ThreadPoolExecutor(3) as pool:
            answers = list(pool.map(lambda _: self.post(room, start, start + HOUR), range(3)))
        won = [answer for answer in answers if answer.status_code == 201]
        assert {answer.status_code for answer in answers} <= {201, 409}
        assert len(won) == (0 if in_the_way else 1)
        return self.booked(room, data_of(won[0]), won[0].headers["ETag"]) if won else in_the_way[0]

    @rule(booking=bookings, hour=HOURS, length=LENGTHS, stale=st.sampled_from([False, False, True]))
    def shift(self, booking: str, hour: int, length: int, stale: bool) -> None:
        start = self.day + hour * HOUR
        tag = '"made-up"' if stale else self.known[booking]["etag"]
        self.shift_to(booking, start, start + length * HOUR, tag)

    def shift_to(self, booking: str, start: int, end: int, tag: str) -> None:
        model = self.known[booking]
        body = {"startTime": start, "endTime": end}
        answer = self.organization.api.patch(self.path(booking), json=body, headers={"If-Match": tag})
        same = (start, end) == (model["start"], model["end"])
        if tag != model["etag"]:
            expect(answer, 412)
        elif model["status"] != "Confirmed" or (
            not same and self.clashes(model["room"], start, end, besides=booking)
        ):
            expect(answer, 409)
        else:
            expect(answer, 200)
            if not same:
                self.expect_event("booking.updated", booking)
            model |= {"start": start, "end": end, "etag": answer.headers["ETag"]}

    @rule(booking=bookings, length=st.integers(1, 6))
    def stretch(self, booking: str, length: int) -> None:
        """Another end for the same beginning."""
        model = self.known[booking]
        if model["room"] in BUFFERS:
            self.shift_to(booking, model["start"], model["start"] + length * HOUR, model["etag"])

    @rule(booking=bookings)
    def cancel(self, booking: str) -> None:
        model = self.known[booking]
        answer = self.organization.api.post(f"{self.path(booking)}/cancel")
        if model["status"] != "Confirmed":
            assert model["status"] in expect(answer, 409)
            return
        assert expect(answer, 200)["status"] == "Cancelled"
        model |= {"status": "Cancelled", "etag": answer.headers["ETag"]}
        self.expect_event("booking.cancelled", booking)

    @rule(booking=bookings)
    def check_in_a_day_early(self, booking: str) -> None:
        expect(self.organization.api.post(f"{self.path(booking)}/check-in"), 409)

    @rule(target=bookings)
    def book_now_and_check_in(self) -> Any:
        """In a room of its own: the present hour can't be shared."""
        self.number += 1
        room = f"now {self.number}"
        self.rooms[room] = self.organization.created("resources", {"name": room, "type": "Room"})["id"]
        now = int(time.time())
        answer = self.post(room, now, now + HOUR)
        id = self.booked(room, expect(answer, 201), answer.headers["ETag"])
        moved = self.organization.api.post(f"{self.path(id)}/check-in")
        assert expect(moved, 200)["status"] == "CheckedIn"
        self.known[id] |= {"status": "CheckedIn", "etag": moved.headers["ETag"]}
        self.expect_event("booking.checked_in", id)
        self.known[id]["room"] = "elsewhere"
        return id

    @rule(room=st.sampled_from(sorted(BUFFERS)))
    def see_what_is_busy(self, room: str) -> None:
        window = {"from": self.day, "to": self.day + 24 * HOUR}
        path = f"{self.organization.path}/resources/{self.rooms[room]}/availability"
        busy = expect(self.organization.api.get(path, params=window), 200)["busy"]
        assert sorted(slot["bookingId"] for slot in busy) == sorted(
            id for id, model in self.known.items() if model["room"] == room and model["status"] in HOLDS
        )

    def teardown(self) -> None:
        for id, model in self.known.items():
            answer = self.organization.api.get(self.path(id))
            found = expect(answer, 200)
            assert (found["startTime"], found["endTime"], found["status"], answer.headers["ETag"]) == (
                model["start"],
                model["end"],
                model["status"],
                model["etag"],
            )
        super().teardown()


def test_bookings_agree_with_the_model(unlimited_organization: Organization) -> None:
    run(lambda: Bookings(unlimited_organization))
