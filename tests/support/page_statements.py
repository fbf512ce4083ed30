"""How many statements a page asks of the database, without the one that every page asks: whose session it is."""

import asyncio
from collections.abc import Mapping
from typing import Any

from tests.support.organizations import Organization

from steward.kit.db.cursors import Cursors
from steward.kit.db.pool import Pool
from steward.kit.db.sql import Row, Sql
from steward.kit.domain.problems import Problem
from steward.kit.http.decoding import convert_query
from steward.kit.http.route import NoQuery
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.encryption import Encryption
from steward.kit.security.permissions import ALL_PERMISSIONS
from steward.kit.web.form import empty_form
from steward.kit.web.page import PageRequest, Panel, RenderedPanel, View, WebPage


class _CountingPool(Pool):
    statements = 0

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        self.statements += 1
        return await super().fetch(sql, *args)


def statements_of(
    organization: Organization,
    page: WebPage,
    *,
    params: Mapping[str, str] | None = None,
    arguments: Mapping[str, str] | None = None,
    panels: tuple[Panel, ...] = (),
) -> int:
    def explain(error: Exception) -> Problem:
        raise error

    async def run_panels(request: PageRequest[Any, Any], of: str, id: str) -> list[RenderedPanel]:
        for panel in panels:
            if panel.of == of:
                await panel.handler(request, id)
        return []

    async def main() -> int:
        pool = _CountingPool(organization.database_url, 1)
        try:
            request: PageRequest[Any, Any] = PageRequest(
                db=pool,
                cursors=Cursors(Encryption(bytes(32))),
                caller=Caller(
                    tenant=TenantId(organization.id),
                    plan="Enterprise",
                    permissions=ALL_PERMISSIONS,
                    user=organization.user_id,
                ),
                form=empty_form(),
                query=NoQuery()
                if page.query is NoQuery
                else convert_query(page.query, dict(arguments or {})),
                now=clock.now(),
                explain=explain,
                show_panels=run_panels,
                params=params or {},
                arguments=arguments or {},
            )
            assert isinstance(await page.handler(request), View)
            return pool.statements
        finally:
            await pool.close()

    return asyncio.run(main())
