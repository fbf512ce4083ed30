"""`python -m bench.quiet_caller.exporting PORT ORGANIZATION KEY …`: one export after the other, until it is ended."""

import http.client
import itertools
import sys


def main(port: int, organization: str, keys: list[str]) -> None:
    for key in itertools.cycle(keys):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(
            "GET", f"/organizations/{organization}/work-orders.csv", headers={"X-API-Key": key}
        )
        answer = connection.getresponse()
        while answer.read(65_536):
            pass
        connection.close()
        if answer.status != 200:
            sys.exit(f"an export answered {answer.status}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
