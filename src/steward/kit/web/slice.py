"""What a slice brings to the program, declared once in its `slice.py`; `steward.slices` lists them all."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeVar, cast

import msgspec

from steward.kit.coordination.cache_invalidation import InvalidationBus
from steward.kit.coordination.heartbeat import Heartbeat
from steward.kit.coordination.invalidation import InvalidatedCache
from steward.kit.coordination.rate_limiter import Limiter
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.constraints import Constraints
from steward.kit.db.lookup import Found, Lookup
from steward.kit.db.pool import Database, Notify, Pool
from steward.kit.db.replicas import Replicas
from steward.kit.db.table_kinds import TableKind
from steward.kit.events.hints import EventHints
from steward.kit.events.topics import Topic
from steward.kit.http.route import Route
from steward.kit.jobs.background import BackgroundTasks
from steward.kit.jobs.runner import Job
from steward.kit.runtime import clock
from steward.kit.runtime.mail import Mailer
from steward.kit.security.caller import OwnOnly, TenantId
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import Need
from steward.kit.web.menu import MenuEntry
from steward.kit.web.page import Panel, WebPage
from steward.settings import Settings

T = TypeVar("T")
V = TypeVar("V")

# What is done in the database at a time.
Run = Callable[[Database, int], Awaitable[object]]


class Parts(msgspec.Struct, eq=False, kw_only=True):
    """What routes and pages are made of. It has parts of the kit only: slices make their own from them."""

    slices: Sequence["Slice"]
    settings: Settings
    url: str
    pool: Pool
    replicas: Replicas
    bus: InvalidationBus
    # The caches that the bus invalidates.
    caches: list[InvalidatedCache]
    limiter: Limiter
    background: BackgroundTasks
    mailer: Mailer | None
    encryption: Encryption
    signing_key: bytes
    hints: EventHints
    notify: Notify
    # Set once the process should stop.
    stopping: asyncio.Event
    _made: dict[Callable[..., Any], Any] = msgspec.field(default_factory=dict)

    def once(self, make: Callable[["Parts"], T]) -> T:
        """What a process has one of; made when it is first asked for."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(T, self._made[make])

    def use(self, make: Callable[["Parts"], T], made: T) -> None:
        """`once` returns this instead of making one."""
        self._made[make] = made

    def cache(self, load: Callable[[Database, TenantId], Awaitable[V]]) -> TenantCache[V]:
        """The cache of what `load` finds, with every slice that asks for it sharing one."""
        if load not in self._made:
            cache = TenantCache(load)
            cache.trusted = self.bus.trusted
            self.caches.append(cache)
            self._made[load] = cache
        return cast(TenantCache[V], self._made[load])


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """What a slice serves over HTTP, and what it shows on the pages of other slices' records."""

    routes: tuple[Route, ...] = ()
    pages: tuple[WebPage, ...] = ()
    panels: tuple[Panel, ...] = ()


class JobParts(msgspec.Struct, frozen=True):
    """What jobs of the worker are made of."""

    db: Database
    settings: Settings
    # Of a connection that keeps its session.
    url: str
    heartbeat: Heartbeat


class Searched(msgspec.Struct, frozen=True):
    """Records that the search finds, under a title; those with a number also by that, under the title of one."""

    title: str
    lookup: Lookup
    one: str = ""
    by_number: Callable[[Database, TenantId, int, OwnOnly | None], Awaitable[Found | None]] | None = None


def site_of(*modules: str) -> Callable[[Parts], Site]:
    """What these modules hold as `ROUTES`, `PAGES` and `PANELS`; for slices whose routes and pages need no parts."""

    def site(_parts: Parts) -> Site:
        loaded = [import_module(name) for name in modules]

        def all_named(name: str) -> tuple[Any, ...]:
            return tuple(each for module in loaded for each in getattr(module, name, ()))

        return Site(routes=all_named("ROUTES"), pages=all_named("PAGES"), panels=all_named("PANELS"))

    return site


def jobs_of(*runs: tuple[str, float, Run]) -> Callable[[JobParts], Sequence[Job]]:
    """Jobs that need the database and the time alone: each with its name and the seconds after which it runs again."""

    def job(parts: JobParts, name: str, seconds: float, run: Run) -> Job:
        return Job(name, seconds, lambda: run(parts.db, clock.now()))

    return lambda parts: [job(parts, *each) for each in runs]


class Slice(msgspec.Struct, frozen=True, kw_only=True):
    """`tables` belong to tenants; `other_tables` say their kind. `site` imports routes and pages when it is called: only
    processes that serve requests pay for them. `expired` delete rows of the past; one job runs them all.
    """

    name: str
    tables: tuple[str, ...] = ()
    other_tables: Mapping[str, TableKind] = {}
    constraints: Constraints = {}
    site: Callable[[Parts], Site] = site_of()
    menu: tuple[MenuEntry, ...] = ()
    searched: tuple[Searched, ...] = ()
    # The kinds of record whose pages show their history, each with the permission to read it where there is a narrower one.
    history: Mapping[str, Need | None] = {}
    # By the beginning of an event's type.
    topics: Mapping[str, Topic | None] = {}
    jobs: Callable[[JobParts], Sequence[Job]] = jobs_of()
    expired: tuple[Run, ...] = ()
