"""The demo's campus: buildings, floors and rooms, the sensors in them, and the equipment that technicians maintain."""

from enum import StrEnum

import msgspec

from steward.demo.fixed_rows import table
from steward.locations.model import LocationType

TIMEZONE = "Europe/Berlin"

AIR, LEAK, CLIMATE, SOCKET, DOOR = (
    "Air quality sensor",
    "Water leakage sensor",
    "Temperature and humidity sensor",
    "Power socket",
    "Door and window sensor",
)


class Profile(StrEnum):
    """Where a sensor sits, which decides what a day looks like to it."""

    OFFICE = "office"
    MEETING = "meeting"
    LOBBY = "lobby"
    CANTEEN = "canteen"
    SERVER_ROOM = "serverRoom"
    COLD_ROOM = "coldRoom"
    FREEZER = "freezer"
    STORE = "store"
    PLANT_ROOM = "plantRoom"
    COFFEE = "coffee"
    PRINTER = "printer"
    FRIDGE = "fridge"
    CHARGER = "charger"
    SCREEN = "screen"
    ENTRANCE = "entrance"
    EXIT = "exit"
    WINDOW = "window"
    DRY = "dry"


class CampusPlace(msgspec.Struct, frozen=True):
    code: str
    name: str
    type: LocationType
    parent: str | None = None
    description: str | None = None


class Sensor(msgspec.Struct, frozen=True):
    """Its patterns and its external identifier follow from `number`."""

    number: int
    kind: str
    name: str
    place: str
    profile: Profile

    @property
    def external_id(self) -> str:
        return f"70B3D57ED005{self.number:04X}"


class Equipment(msgspec.Struct, frozen=True):
    kind: str
    name: str
    place: str
    manufacturer: str
    model: str


PLACES = table("places", CampusPlace)
ADDRESS = {"street": "Am Kai 12", "postalCode": "20457", "city": "Hamburg", "country": "DE"}
LATITUDE, LONGITUDE = 53.5413, 9.9841

SENSORS = table("sensors", Sensor)
EQUIPMENT = table("equipment", Equipment)
# Archived since its successor came.
REPLACED = Equipment("Boiler", "Boiler 1, first of its kind", "HC-M-B01", "Thermaro", "TX 300")
