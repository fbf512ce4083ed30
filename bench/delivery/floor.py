"""`python -m bench.delivery.floor RECEIVER_PORT CONTROL_PORT`: the bare loop. It signs and posts, and keeps nothing.

The same client, set up in the same way, the same headers and as many requests at once as one worker has; no database, no
judging, no log. `GET /SECONDS` on its control port runs it.
"""

import asyncio
import sys
import time
from typing import Any

import uvloop

from bench.control import serve_control
from bench.delivery.tenants import BODY
from bench.load import Sample, shares
from steward.kit.domain.ids import new_id
from steward.webhook_delivery.model import Claim, ClaimedDelivery, WebhookTarget
from steward.webhook_delivery.prepare import prepare
from steward.webhook_delivery.send import HttpSender
from steward.webhooks.signing import Secret, new_secret


async def post_for(seconds: float, port: int) -> Sample:
    sender = HttpSender(allow_local=True)
    secret = (Secret(new_secret()),)
    webhook = WebhookTarget(("org", "whk"), f"http://127.0.0.1:{port}/floor", b"", False)
    session = sender._session  # noqa: SLF001 (the floor is this client and nothing around it)
    claim = Claim("prc", 0)
    latencies: list[float] = []
    end = time.monotonic() + seconds

    async def loop() -> None:
        while (began := time.monotonic()) < end:
            delivery = ClaimedDelivery(webhook, "dlv", new_id("evt"), 0, claim, BODY, False)
            request: Any = prepare(
                delivery, BODY, lambda _sealed: secret, now_ms=time.time_ns() // 1_000_000, allow_local=True
            )
            async with session.post(request.target.url, data=request.body, headers=request.headers) as answer:
                await answer.read()
            latencies.append(time.monotonic() - began)

    began = time.monotonic()
    await asyncio.gather(*(loop() for _ in range(128)))
    took = time.monotonic() - began
    await sender.close()
    return Sample(len(latencies), int(took * 1e6), **shares(latencies))


async def main(receiver_port: int, control_port: int) -> None:
    await serve_control(control_port, lambda seconds: post_for(float(seconds), receiver_port))


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
