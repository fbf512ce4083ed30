"""Opens pools and clients and puts the parts together; the only room that knows everything."""

from steward.wiring.parts import Parts, assemble, open_parts
from steward.wiring.routes import CONSTRAINTS, all_routes, api_document, furnish_organization
from steward.wiring.site import all_pages, build_site, running_api
from steward.wiring.worker import run_worker

__all__ = [
    "CONSTRAINTS",
    "Parts",
    "all_pages",
    "all_routes",
    "api_document",
    "assemble",
    "build_site",
    "furnish_organization",
    "open_parts",
    "run_worker",
    "running_api",
]
