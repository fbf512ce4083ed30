"""Style sheets, scripts and icons, kept in memory, compressed once.

Their addresses hold one digest of all files: `/static/<digest>/js/app.js`. So browsers may cache them for good, and a module
that imports `./live.js` gets the version that it was released with. A style sheet is sent with the files that it imports, in
one request.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

from steward.kit.domain.problems import NotFound
from steward.kit.http.response import Response
from steward.kit.web.page import PageRequest, Redirect, WebPage

# Other kinds of files are not served.
_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}
_ICON = "icon.svg"
_CSS_IMPORT = re.compile(rb'^@import "\./(.+)";$', re.MULTILINE)
_IMMUTABLE = ("cache-control", "public, max-age=31536000, immutable")
_REVALIDATE = ("cache-control", "no-cache")


class _File(msgspec.Struct, frozen=True):
    body: bytes
    # By encoding; filled when a browser first asks for one.
    packed: dict[str, bytes]
    tag: str
    content_type: str


class _Tree(msgspec.Struct, frozen=True):
    files: dict[str, _File]
    digest: str


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry


def _read(file: Traversable, folder: Traversable) -> bytes:
    body = file.read_bytes()
    if not file.name.endswith(".css"):
        return body
    return _CSS_IMPORT.sub(lambda found: folder.joinpath(found[1].decode()).read_bytes(), body)


def _digest(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=8).hexdigest()


@cache
def _tree() -> _Tree:
    folder = files("steward.web").joinpath("static")
    found = {}
    for name, file in sorted(_walk(folder)):
        if content_type := _TYPES.get(name.rpartition(".")[2]):
            body = _read(file, folder)
            found[name] = _File(body, {}, _digest(body), content_type)
    names = "\n".join(f"{name} {file.tag}" for name, file in found.items())
    return _Tree(found, _digest(names.encode()))


class StaticFiles:
    def __init__(self) -> None:
        self._tree = _tree()

    def url(self, name: str) -> str:
        if name not in self._tree.files:
            raise KeyError(f"there is no static file {name}; `make setup` brings those under vendor/")
        return f"/static/{self._tree.digest}/{name}"

    async def serve(self, request: PageRequest[Any, Any]) -> Response:
        segments = list(request.params.values())
        # Without a digest, or with that of another release, this may not be the version that the page expects.
        lasting = segments[0] == self._tree.digest
        file = None if lasting else self._tree.files.get("/".join(segments))
        if file is None:
            file = self._tree.files.get("/".join(segments[1:]))
        if file is None:
            raise NotFound("There is no such file.")
        caching = _IMMUTABLE if lasting else _REVALIDATE
        headers = [("content-type", file.content_type), ("etag", f'"{file.tag}"'), caching]
        return Response(200, file.body, headers, file.packed)

    async def icon(self, _request: PageRequest[Any, Any]) -> Redirect:
        return Redirect(self.url(_ICON))

    def pages(self) -> tuple[WebPage, ...]:
        """One for each depth of the folders, and one more for the digest."""
        depth = max(name.count("/") for name in self._tree.files) + 2
        paths = ["/static" + "".join(f"/{{part{i}}}" for i in range(n + 1)) for n in range(depth)]
        return (
            *(WebPage("GET", path, self.serve, public=True) for path in paths),
            *(WebPage("GET", f"/favicon.{kind}", self.icon, public=True) for kind in ("ico", "svg")),
        )
