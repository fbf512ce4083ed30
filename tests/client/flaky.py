"""An HTTP transport with faults: what goes wrong is said for each request, and then it works."""

from collections.abc import Callable

import httpx

Fault = Callable[[httpx.Request, Callable[[httpx.Request], httpx.Response]], httpx.Response]


class FlakyTransport(httpx.BaseTransport):
    """Does the faults in their order, one for each request, and passes on what comes after them."""

    def __init__(self, *faults: Fault) -> None:
        self._faults = list(faults)
        self._real = httpx.HTTPTransport()
        self.seen: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.seen.append(request)
        if self._faults:
            return self._faults.pop(0)(request, self._real.handle_request)
        return self._real.handle_request(request)

    def close(self) -> None:
        self._real.close()


def never_sent(request: httpx.Request, _pass_on: object) -> httpx.Response:
    raise httpx.ConnectError("nobody there", request=request)


def answer_lost(request: httpx.Request, pass_on: Callable[[httpx.Request], httpx.Response]) -> httpx.Response:
    """It was done, and its answer is lost."""
    pass_on(request).read()
    raise httpx.ReadError("connection reset", request=request)


def answers(status: int, **headers: str) -> Fault:
    """Somebody in between, or the service itself, refuses; nothing was done."""

    def fault(request: httpx.Request, _pass_on: object) -> httpx.Response:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        # An upload is complete by then.
        request.read()
        return httpx.Response(status, headers=fields, text="<h1>Not now</h1>", request=request)

    return fault
