"""The routes of one kind of resource, which differ from the next kind's in little but their names."""

from typing import Any

import msgspec

from steward.kit.http.route import Handler, Route
from steward.kit.page import PageQuery
from steward.kit.permissions import Permission


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """`path` ends where the list is; `{id_name}` stands for one of its items."""

    tag: str
    path: str
    id_name: str
    gives: Any
    example: Any
    read_permission: Permission
    write_permission: Permission

    def list(
        self, handler: Handler, summary: str, *, query: type[PageQuery] = PageQuery, **more: Any
    ) -> Route:
        return self._route("GET", self.path, handler, summary, query=query, shape="page", **more)

    def create(self, handler: Handler, summary: str, *, body: type[msgspec.Struct], **more: Any) -> Route:
        return self._route("POST", self.path, handler, summary, body=body, **{"status": 201, **more})

    def read(self, handler: Handler, summary: str, **more: Any) -> Route:
        return self._route("GET", self._one, handler, summary, **more)

    def change(self, handler: Handler, summary: str, *, body: type[msgspec.Struct], **more: Any) -> Route:
        return self._route("PATCH", self._one, handler, summary, body=body, **more)

    def delete(self, handler: Handler, summary: str, **more: Any) -> Route:
        return self._route("DELETE", self._one, handler, summary, **{"shape": "deleted", **more})

    @property
    def _one(self) -> str:
        return f"{self.path}/{{{self.id_name}}}"

    def _route(self, method: str, path: str, handler: Handler, summary: str, **more: Any) -> Route:
        values: dict[str, Any] = {
            "permission": self.read_permission if method == "GET" else self.write_permission,
            "gives": self.gives,
            "example": self.example,
            **more,
        }
        return Route(method=method, path=path, handler=handler, tag=self.tag, summary=summary, **values)
