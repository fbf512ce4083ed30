from steward.kit.security.permissions import Permission
from steward.kit.web.import_pages import ImportPages
from steward.locations.imports.actions import import_locations

PAGES = ImportPages(
    path="/app/locations",
    noun="location",
    plural="locations",
    permission=Permission.LOCATIONS_WRITE,
    action=import_locations,
    about="locations/import_about.html",
).pages()
