"""What the service has acknowledged, as its callers remember it."""

from collections import defaultdict

import msgspec


class Order(msgspec.Struct):
    id: str
    number: int
    title: str
    at: float
    # The states it was acknowledged to have entered, in their order; the first when it was made.
    states: list[str]


class Booking(msgspec.Struct):
    id: str
    resource: str
    start: int
    end: int
    cancelled: bool = False


class Readings(msgspec.Struct):
    """Of one way in, by asset and second."""

    sent: dict[tuple[str, int], float] = {}
    acknowledged: set[tuple[str, int]] = set()
    # Taken by the broker, which then was killed before it had handed them on.
    unsure: set[tuple[str, int]] = set()


class Ledger:
    def __init__(self) -> None:
        self.orders: dict[str, Order] = {}
        self.bookings: dict[str, Booking] = {}
        self.readings: dict[str, Readings] = defaultdict(Readings)
        # What an answer said that contradicts an earlier one.
        self.contradictions: list[str] = []

    def acknowledged(self) -> dict[str, int]:
        return {
            "work orders": len(self.orders),
            "moves": sum(len(order.states) - 1 for order in self.orders.values()),
            "bookings": len(self.bookings),
            "cancellations": sum(booking.cancelled for booking in self.bookings.values()),
            **{f"readings by {way}": len(one.acknowledged) for way, one in sorted(self.readings.items())},
        }

    def not_counted(self) -> dict[str, int]:
        return {
            f"readings by {way} that a broker may have lost": len(one.unsure)
            for way, one in sorted(self.readings.items())
            if one.unsure
        }
