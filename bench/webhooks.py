"""Webhooks made over the API, as people make them."""

from collections.abc import Sequence

import httpx

from bench.tenants import Tenant


async def subscribe(port: int, tenant: Tenant, url: str, types: Sequence[str]) -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        answer = await client.post(
            f"/v2/organizations/{tenant.id}/webhooks",
            headers={"X-API-Key": tenant.keys[0]},
            json={"url": url, "events": list(types)},
        )
        assert answer.status_code == 201, answer.text
