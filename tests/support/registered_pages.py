"""The pages that the web app has, as its wiring lists them."""

from steward.kit.db.pool import Pool
from steward.kit.security.encryption import Encryption
from steward.kit.web.page import WebPage
from steward.kit.web.slice import Parts
from steward.settings import Settings
from steward.tokens.signing import new_signing_key
from steward.web.rendering import renderer
from steward.web.static import StaticFiles
from steward.wiring.parts import assemble
from steward.wiring.routes import all_pages, api_document

_NOWHERE = "postgresql://steward@127.0.0.1:1/steward"


def parts_over(url: str, pool: Pool) -> Parts:
    return assemble(Settings(), Encryption(bytes(32)), url, pool, new_signing_key())


def unreachable_parts() -> Parts:
    """A service whose database can't be reached."""
    return parts_over(_NOWHERE, Pool(_NOWHERE, 1))


def registered_pages() -> tuple[WebPage, ...]:
    static = StaticFiles()
    return all_pages(unreachable_parts(), api_document(), static, renderer(static.url))
