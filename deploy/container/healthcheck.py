# ruff: noqa: INP001 (a script of the image, in no package)
"""Whether the process of this container answers: for engines that ask by a command. Needs nothing beside Python.

`python healthcheck.py` asks for `/health/live` on `STEWARD_PORT`; with `--metrics` for the figures on `STEWARD_METRICS_ADDRESS`,
which is what a worker has. Ends with 0 where the answer is 200.
"""

import http.client
import os
import sys

_SECONDS = 4


def question(arguments: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """The port and the path to ask for."""
    if arguments == ["--metrics"]:
        port = environment.get("STEWARD_METRICS_ADDRESS", "127.0.0.1:9464").rpartition(":")[2]
        return int(port), "/metrics"
    if arguments:
        sys.exit("usage: healthcheck.py [--metrics]")
    return int(environment.get("STEWARD_PORT", "8000")), "/health/live"


def main() -> int:
    port, path = question(sys.argv[1:], dict(os.environ))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
    try:
        connection.request("GET", path)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        print(f"no answer of 127.0.0.1:{port}{path}: {error}", file=sys.stderr)  # noqa: T201
        return 1
    finally:
        connection.close()
    if status != http.HTTPStatus.OK:
        print(f"127.0.0.1:{port}{path} answered {status}", file=sys.stderr)  # noqa: T201
    return int(status != http.HTTPStatus.OK)


if __name__ == "__main__":
    sys.exit(main())
