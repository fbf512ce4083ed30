"""What stands on the demo's campus: buildings, floors and rooms, the sensors in them, and what technicians look after."""

from enum import StrEnum

import msgspec

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
    """`number` names it for good: its patterns and its external identifier follow from that."""

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


_S, _B, _F, _R, _Z = (
    LocationType.SITE,
    LocationType.BUILDING,
    LocationType.FLOOR,
    LocationType.SPACE,
    LocationType.ZONE,
)

PLACES = (
    CampusPlace("HC", "Harbour Campus", _S, None, "Four buildings between the quay and the Elbe park."),
    CampusPlace(
        "HC-M", "Main building", _B, "HC", "Offices, canteen and reception; built 1998, refitted 2019."
    ),
    CampusPlace("HC-M-B", "Basement", _F, "HC-M"),
    CampusPlace("HC-M-0", "Ground floor", _F, "HC-M"),
    CampusPlace("HC-M-1", "First floor", _F, "HC-M"),
    CampusPlace("HC-M-2", "Second floor", _F, "HC-M"),
    CampusPlace("HC-M-3", "Third floor", _F, "HC-M"),
    CampusPlace("HC-M-B01", "Plant room", _R, "HC-M-B"),
    CampusPlace("HC-M-B02", "Server room", _R, "HC-M-B"),
    CampusPlace("HC-M-B03", "Archive", _R, "HC-M-B"),
    CampusPlace("HC-M-001", "Lobby", _R, "HC-M-0"),
    CampusPlace("HC-M-002", "Canteen", _R, "HC-M-0"),
    CampusPlace("HC-M-003", "Kitchen", _R, "HC-M-0"),
    CampusPlace("HC-M-101", "Open office 1 West", _R, "HC-M-1"),
    CampusPlace("HC-M-102", "Open office 1 East", _R, "HC-M-1"),
    CampusPlace("HC-M-103", "Meeting room Elbe", _R, "HC-M-1"),
    CampusPlace("HC-M-104", "Meeting room Alster", _R, "HC-M-1"),
    CampusPlace("HC-M-105", "Kitchenette 1", _R, "HC-M-1"),
    CampusPlace("HC-M-201", "Open office 2 West", _R, "HC-M-2"),
    CampusPlace("HC-M-202", "Open office 2 East", _R, "HC-M-2"),
    CampusPlace("HC-M-203", "Meeting room Bille", _R, "HC-M-2"),
    CampusPlace("HC-M-204", "Meeting room Trave", _R, "HC-M-2"),
    CampusPlace("HC-M-205", "Kitchenette 2", _R, "HC-M-2"),
    CampusPlace("HC-M-301", "Board room", _R, "HC-M-3"),
    CampusPlace("HC-M-302", "Open office 3", _R, "HC-M-3"),
    CampusPlace("HC-M-303", "Focus zone", _Z, "HC-M-3"),
    CampusPlace("HC-L", "Laboratory", _B, "HC", "Laboratories, cold storage and the workshop."),
    CampusPlace("HC-L-0", "Ground floor", _F, "HC-L"),
    CampusPlace("HC-L-1", "First floor", _F, "HC-L"),
    CampusPlace("HC-L-001", "Cold store", _R, "HC-L-0"),
    CampusPlace("HC-L-002", "Workshop", _R, "HC-L-0"),
    CampusPlace("HC-L-003", "Loading dock", _Z, "HC-L-0"),
    CampusPlace("HC-L-101", "Laboratory 1", _R, "HC-L-1"),
    CampusPlace("HC-L-102", "Laboratory 2", _R, "HC-L-1"),
    CampusPlace("HC-L-103", "Lab office", _R, "HC-L-1"),
    CampusPlace("HC-V", "Visitor pavilion", _B, "HC", "Exhibition, auditorium and training rooms."),
    CampusPlace("HC-V-0", "Ground floor", _F, "HC-V"),
    CampusPlace("HC-V-001", "Auditorium", _R, "HC-V-0"),
    CampusPlace("HC-V-002", "Training room", _R, "HC-V-0"),
    CampusPlace("HC-V-003", "Exhibition", _R, "HC-V-0"),
    CampusPlace("HC-P", "Car park", _B, "HC", "Two decks, 120 places, 16 of them with a charger."),
    CampusPlace("HC-P-0", "Lower deck", _F, "HC-P"),
    CampusPlace("HC-P-1", "Upper deck", _F, "HC-P"),
)
ADDRESS = {"street": "Am Kai 12", "postalCode": "20457", "city": "Hamburg", "country": "DE"}
LATITUDE, LONGITUDE = 53.5413, 9.9841

_P = Profile
_SENSORS = (
    (AIR, "Air quality, Lobby", "HC-M-001", _P.LOBBY),
    (AIR, "Air quality, Canteen", "HC-M-002", _P.CANTEEN),
    (AIR, "Air quality, Open office 1 West", "HC-M-101", _P.OFFICE),
    (AIR, "Air quality, Open office 1 East", "HC-M-102", _P.OFFICE),
    (AIR, "Air quality, Meeting room Elbe", "HC-M-103", _P.MEETING),
    (AIR, "Air quality, Meeting room Alster", "HC-M-104", _P.MEETING),
    (AIR, "Air quality, Open office 2 West", "HC-M-201", _P.OFFICE),
    (AIR, "Air quality, Open office 2 East", "HC-M-202", _P.OFFICE),
    (AIR, "Air quality, Meeting room Bille", "HC-M-203", _P.MEETING),
    (AIR, "Air quality, Meeting room Trave", "HC-M-204", _P.MEETING),
    (AIR, "Air quality, Board room", "HC-M-301", _P.MEETING),
    (AIR, "Air quality, Open office 3", "HC-M-302", _P.OFFICE),
    (AIR, "Air quality, Laboratory 1", "HC-L-101", _P.OFFICE),
    (AIR, "Air quality, Auditorium", "HC-V-001", _P.MEETING),
    (AIR, "Air quality, Training room", "HC-V-002", _P.MEETING),
    (CLIMATE, "Climate, Server room rack A", "HC-M-B02", _P.SERVER_ROOM),
    (CLIMATE, "Climate, Server room rack B", "HC-M-B02", _P.SERVER_ROOM),
    (CLIMATE, "Climate, Archive", "HC-M-B03", _P.STORE),
    (CLIMATE, "Climate, Plant room", "HC-M-B01", _P.PLANT_ROOM),
    (CLIMATE, "Cold room 1", "HC-L-001", _P.COLD_ROOM),
    (CLIMATE, "Cold room 2", "HC-L-001", _P.COLD_ROOM),
    (CLIMATE, "Cold room, kitchen", "HC-M-003", _P.COLD_ROOM),
    (CLIMATE, "Freezer 1", "HC-L-001", _P.FREEZER),
    (CLIMATE, "Freezer 2", "HC-L-001", _P.FREEZER),
    (CLIMATE, "Climate, Laboratory 2", "HC-L-102", _P.STORE),
    (CLIMATE, "Climate, Lab office", "HC-L-103", _P.OFFICE),
    (CLIMATE, "Climate, Exhibition", "HC-V-003", _P.OFFICE),
    (CLIMATE, "Climate, Focus zone", "HC-M-303", _P.OFFICE),
    (LEAK, "Leak sensor, Plant room", "HC-M-B01", _P.DRY),
    (LEAK, "Leak sensor, Server room", "HC-M-B02", _P.DRY),
    (LEAK, "Leak sensor, Archive", "HC-M-B03", _P.DRY),
    (LEAK, "Leak sensor, Kitchen", "HC-M-003", _P.DRY),
    (LEAK, "Leak sensor, Kitchenette 1", "HC-M-105", _P.DRY),
    (LEAK, "Leak sensor, Kitchenette 2", "HC-M-205", _P.DRY),
    (LEAK, "Leak sensor, Laboratory 1", "HC-L-101", _P.DRY),
    (LEAK, "Leak sensor, Laboratory 2", "HC-L-102", _P.DRY),
    (LEAK, "Leak sensor, Cold store", "HC-L-001", _P.DRY),
    (LEAK, "Leak sensor, Pavilion cloakroom", "HC-V-0", _P.DRY),
    (SOCKET, "Coffee machine, Canteen", "HC-M-002", _P.COFFEE),
    (SOCKET, "Coffee machine, Kitchenette 1", "HC-M-105", _P.COFFEE),
    (SOCKET, "Coffee machine, Kitchenette 2", "HC-M-205", _P.COFFEE),
    (SOCKET, "Printer, First floor", "HC-M-1", _P.PRINTER),
    (SOCKET, "Printer, Second floor", "HC-M-2", _P.PRINTER),
    (SOCKET, "Fridge, Kitchenette 1", "HC-M-105", _P.FRIDGE),
    (SOCKET, "Fridge, Kitchenette 2", "HC-M-205", _P.FRIDGE),
    (SOCKET, "Vending machine, Lobby", "HC-M-001", _P.FRIDGE),
    (SOCKET, "Wall screen, Lobby", "HC-M-001", _P.SCREEN),
    (SOCKET, "Projector, Auditorium", "HC-V-001", _P.SCREEN),
    (SOCKET, "Charger 1, Car park", "HC-P-0", _P.CHARGER),
    (SOCKET, "Charger 2, Car park", "HC-P-0", _P.CHARGER),
    (DOOR, "Main entrance", "HC-M-001", _P.ENTRANCE),
    (DOOR, "Staff entrance", "HC-M-0", _P.ENTRANCE),
    (DOOR, "Pavilion entrance", "HC-V-0", _P.ENTRANCE),
    (DOOR, "Fire exit, stairwell A", "HC-M-0", _P.EXIT),
    (DOOR, "Fire exit, stairwell B", "HC-M-0", _P.EXIT),
    (DOOR, "Cold store door", "HC-L-001", _P.EXIT),
    (DOOR, "Loading dock door", "HC-L-003", _P.EXIT),
    (DOOR, "Plant room door", "HC-M-B01", _P.EXIT),
    (DOOR, "Window, Meeting room Elbe", "HC-M-103", _P.WINDOW),
    (DOOR, "Window, Open office 2 West", "HC-M-201", _P.WINDOW),
    (DOOR, "Window, Open office 3", "HC-M-302", _P.WINDOW),
)
SENSORS = tuple(Sensor(number, *row) for number, row in enumerate(_SENSORS, start=1))

EQUIPMENT_KINDS = {
    "Air handling unit": "Supplies rooms with fresh, tempered air.",
    "Boiler": "Heats water for radiators and taps.",
    "Chiller": "Cools water for the air handling units and the server room.",
    "Lift": "Passenger and goods lifts.",
    "Pump": "Moves heating, cooling or waste water.",
    "Fire door": "Closes by itself when there is an alarm.",
    "Emergency lighting": "Shows the way out when the mains fail.",
    "Kitchen appliance": "Ovens, dishwashers and other appliances of the canteen.",
}
_EQUIPMENT = (
    ("Air handling unit", "Air handler 1", "HC-M-B01", "Nordluft", "NL-8000"),
    ("Air handling unit", "Air handler 2", "HC-M-B01", "Nordluft", "NL-8000"),
    ("Air handling unit", "Air handler 3", "HC-M-3", "Nordluft", "NL-4500"),
    ("Air handling unit", "Air handler 4", "HC-L-1", "Nordluft", "NL-6000 Lab"),
    ("Air handling unit", "Air handler 5", "HC-V-0", "Nordluft", "NL-4500"),
    ("Boiler", "Boiler 1", "HC-M-B01", "Thermaro", "TX 350"),
    ("Boiler", "Boiler 2", "HC-M-B01", "Thermaro", "TX 350"),
    ("Boiler", "Boiler, laboratory", "HC-L-0", "Thermaro", "TX 120"),
    ("Chiller", "Chiller 1", "HC-M-B01", "Frostwerk", "FW 220"),
    ("Chiller", "Chiller, server room", "HC-M-B02", "Frostwerk", "FW 60"),
    ("Chiller", "Chiller, cold store", "HC-L-001", "Frostwerk", "FW 90"),
    ("Lift", "Lift A", "HC-M", "Aufwind", "Passenger 630"),
    ("Lift", "Lift B", "HC-M", "Aufwind", "Passenger 630"),
    ("Lift", "Goods lift", "HC-L", "Aufwind", "Freight 2000"),
    ("Lift", "Lift, car park", "HC-P", "Aufwind", "Passenger 450"),
    ("Pump", "Heating pump 1", "HC-M-B01", "Strom & Fluss", "HP 32"),
    ("Pump", "Heating pump 2", "HC-M-B01", "Strom & Fluss", "HP 32"),
    ("Pump", "Cooling pump", "HC-M-B01", "Strom & Fluss", "CP 40"),
    ("Pump", "Lifting station", "HC-M-B", "Strom & Fluss", "WS 100"),
    ("Pump", "Sprinkler pump", "HC-P-0", "Strom & Fluss", "SP 80"),
    ("Fire door", "Fire door, stairwell A ground floor", "HC-M-0", "Brandwacht", "T90"),
    ("Fire door", "Fire door, stairwell B ground floor", "HC-M-0", "Brandwacht", "T90"),
    ("Fire door", "Fire door, stairwell A second floor", "HC-M-2", "Brandwacht", "T30"),
    ("Fire door", "Fire door, laboratory", "HC-L-1", "Brandwacht", "T90"),
    ("Emergency lighting", "Emergency lighting, main building", "HC-M", "Lumen", "Guide 24"),
    ("Emergency lighting", "Emergency lighting, laboratory", "HC-L", "Lumen", "Guide 24"),
    ("Emergency lighting", "Emergency lighting, pavilion", "HC-V", "Lumen", "Guide 12"),
    ("Kitchen appliance", "Combi oven", "HC-M-003", "Herdmann", "CO 10"),
    ("Kitchen appliance", "Dishwasher", "HC-M-003", "Herdmann", "DW 500"),
)
EQUIPMENT = tuple(Equipment(*row) for row in _EQUIPMENT)
# Out of sight since its successor came.
REPLACED = Equipment("Boiler", "Boiler 1, first of its kind", "HC-M-B01", "Thermaro", "TX 300")
