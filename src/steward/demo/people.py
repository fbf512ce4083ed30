"""The people of the campus. The first of each role is for visitors of the demo; the simulator plays the others."""

import msgspec


class Person(msgspec.Struct, frozen=True):
    name: str
    email: str
    role: str


ADMINISTRATOR = Person("Ada Byron", "admin@example.com", "Administrator")
MANAGER = Person("Marta Lindqvist", "manager@example.com", "Manager")
# In the order of the trades: air and heat, electrics, plumbing, building.
TECHNICIANS = (
    Person("Tom Becker", "technician@example.com", "Technician"),
    Person("Elif Aydin", "elif@example.com", "Technician"),
    Person("Piotr Nowak", "piotr@example.com", "Technician"),
    Person("Grace Okafor", "grace@example.com", "Technician"),
)
RECEPTIONIST = Person("Jonas Weber", "reception@example.com", "Reception")
REQUESTER = Person("Lena Fischer", "requester@example.com", "Requester")
VIEWER = Person("Victor Hale", "viewer@example.com", "Viewer")
STAFF = (
    Person("Noah Schmitt", "noah@example.com", "Requester"),
    Person("Sofia Rossi", "sofia@example.com", "Requester"),
    Person("Yuki Tanaka", "yuki@example.com", "Requester"),
    Person("Daniel Petersen", "daniel@example.com", "Requester"),
    Person("Amina Haddad", "amina@example.com", "Requester"),
)
FORMER = Person("Ben Kramer", "ben@example.com", "Technician")
INVITED = Person("Clara Neumann", "clara@example.com", "Technician")

# The administrator is made with the organization.
USERS = (MANAGER, *TECHNICIANS, RECEPTIONIST, REQUESTER, VIEWER, *STAFF, FORMER)
# Whom one can log in as to see what each role sees.
LOGINS = (ADMINISTRATOR, MANAGER, TECHNICIANS[0], RECEPTIONIST, REQUESTER, VIEWER)
