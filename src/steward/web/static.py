"""Our own stylesheet and icon, kept in memory. Their addresses carry a digest, so browsers may keep them for good."""

import hashlib
from importlib.resources import files
from typing import Any

import msgspec

from steward.kit.domain.problems import NotFound
from steward.kit.http.response import Response
from steward.kit.http.web_page import PageRequest, Redirect, WebPage

_TYPES = {
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "js": "text/javascript; charset=utf-8",
}
_ICON = "icon.svg"


class StaticQuery(msgspec.Struct, frozen=True):
    v: str = ""


class _File(msgspec.Struct, frozen=True):
    body: bytes
    digest: str
    content_type: str


class StaticFiles:
    def __init__(self) -> None:
        self._files = {
            file.name: _File(body, hashlib.blake2b(body, digest_size=8).hexdigest(), _TYPES[suffix])
            for file in files("steward.web").joinpath("static").iterdir()
            if (suffix := file.name.rpartition(".")[2]) in _TYPES and (body := file.read_bytes())
        }

    def url(self, name: str) -> str:
        return f"/static/{name}?v={self._files[name].digest}"

    async def serve(self, request: PageRequest[Any, StaticQuery]) -> Response:
        file = self._files.get(request.params["name"])
        if file is None:
            raise NotFound("There is no such file.")
        # Under an address with another digest this may be an older or newer file than the page meant.
        lasting = request.query.v == file.digest
        caching = "public, max-age=31536000, immutable" if lasting else "no-cache"
        headers = [
            ("content-type", file.content_type),
            ("etag", f'"{file.digest}"'),
            ("cache-control", caching),
        ]
        return Response(200, file.body, headers)

    async def icon(self, _request: PageRequest[Any, Any]) -> Redirect:
        return Redirect(self.url(_ICON))

    def pages(self) -> tuple[WebPage, ...]:
        return (
            WebPage(method="GET", path="/static/{name}", handler=self.serve, public=True, query=StaticQuery),
            WebPage(method="GET", path="/favicon.ico", handler=self.icon, public=True),
            WebPage(method="GET", path="/favicon.svg", handler=self.icon, public=True),
        )
