"""What others notice meanwhile: how long their requests take."""

import http.client
import threading
import time

_PACE_SECONDS = 0.1


class Caller(threading.Thread):
    """Asks for the same thing every 100 ms. A request that has to wait for the one before counts from when it was due."""

    def __init__(self, port: int, path: str, key: str = "") -> None:
        super().__init__(daemon=True)
        self._port, self._path = port, path
        self._headers = {"X-API-Key": key} if key else {}
        self._ended = threading.Event()
        self.seconds: list[float] = []
        self.failures = 0

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        due = time.monotonic()
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            try:
                connection.request("GET", self._path, headers=self._headers)
                answer = connection.getresponse()
                answer.read()
                self.failures += answer.status != 200
            except (OSError, http.client.HTTPException):
                self.failures += 1
                connection.close()
            self.seconds.append(time.monotonic() - due)
            due += _PACE_SECONDS
        connection.close()

    def end(self) -> dict[str, float]:
        self._ended.set()
        self.join()
        took = sorted(self.seconds)
        shares = {name: took[int(len(took) * share)] for name, share in (("p50", 0.5), ("p99", 0.99))}
        in_ms = {name: round(value * 1000, 1) for name, value in shares.items()}
        return {
            "requests": len(took),
            "failures": self.failures,
            **in_ms,
            "longest": round(took[-1] * 1000, 1),
        }
