import asyncio
import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from tests.support.processes import SECRET_KEY
from tests.support.servers import drop_database, make_database, own_name
from tests.support.service import Service
from tests.support.waiting import limit

from steward.demo.seed import Demo, demo_caller, seed_demo
from steward.kit.security.caller import Caller
from steward.wiring.organization_defaults import install_organization_defaults


class SeededDemo:
    """The demo organization, and what its first key sees of it."""

    def __init__(self, url: str, directory: Path, demo: Demo) -> None:
        self.url, self.directory, self.demo = url, directory, demo
        self.base_url = ""
        self._client = httpx.Client(timeout=limit(60))

    @classmethod
    def seed(cls, url: str, directory: Path) -> "SeededDemo":
        return cls(url, directory, cls.seed_again(url, directory))

    @staticmethod
    def seed_again(url: str, directory: Path) -> Demo:
        key = base64.b64decode(SECRET_KEY)
        return asyncio.run(seed_demo(url, (key,), directory, install_organization_defaults))

    @property
    def caller(self) -> Caller:
        return demo_caller(self.demo.organization_id)

    def get(self, path: str, **query: Any) -> Any:
        path = path.replace("{orgId}", self.demo.organization_id)
        headers = {"X-API-Key": self.demo.api_key}
        answer = self._client.get(f"{self.base_url}{path}", params=query, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def all(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """Every item of a list, over all of its pages."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            page = self.get(path, limit=100, **query, **cursor)
            found += page["data"]
            if not page.get("lastEvaluatedKey"):
                return found
            cursor = {"lastEvaluatedKey": page["lastEvaluatedKey"]}

    def close(self) -> None:
        self._client.close()


@contextmanager
def running_demo(database_url: str, directory: Path, name: str, **settings: str) -> Iterator[SeededDemo]:
    """A demo organization in a database of its own, on the same server, with the service over it."""
    url = asyncio.run(make_database(database_url, own_name(name), migrated=True))
    demo = SeededDemo.seed(url, directory)
    service = Service(directory, url, **settings)
    demo.base_url = service.base_url
    try:
        yield demo
    finally:
        demo.close()
        service.stop()
        asyncio.run(drop_database(database_url, own_name(name)))
