"""What isn't beside a floor: one sentence for each scenario, of its figures. Pure."""

from collections.abc import Callable, Mapping
from typing import Any

Found = Mapping[str, Any]


def _latency(found: Found) -> str:
    return (
        f"From the commit to the receiver at {found['ours']} events a second: {found['p50']:.1f} ms in the median, "
        f"{found['p99']:.1f} ms in 99 of 100 cases."
    )


def _cores(found: Found) -> str:
    return (
        f"{found['processes']} API processes on one port answered {found['ratio']:.2f} times as many lists as one "
        f"({found['many']:,} a second, {found['one']:,})."
    )


def _memory(found: Found) -> str:
    api, worker = found["api"], found["worker"]
    return (
        f"Memory, when ready, after a tenth and after all of {found['minutes']:g} minutes with "
        f"{found['requests']:,} requests: API process {api['ready_mib']}, {api['warm_mib']} and {api['after_mib']} MiB, "
        f"worker {worker['ready_mib']}, {worker['warm_mib']} and {worker['after_mib']} MiB."
    )


def _start(found: Found) -> str:
    return (
        f"From the command to the first answer: `steward up` with a new database {found['up_cold_s']:.1f} s, with one that is there "
        f"{found['up_warm_s']:.1f} s; `steward api` alone {found['api_s']:.2f} s, of which importing takes {found['import_s']:.2f} s."
    )


def _exports(found: Found) -> str:
    csv, ndjson = found["csv"], found["ndjson"]
    return (
        f"An export of {found['rows']:,} work orders: {csv['rows_per_second']:,} rows a second as CSV, "
        f"{ndjson['rows_per_second']:,} as NDJSON; the process took at most {max(csv['grown_mib'], ndjson['grown_mib'])} MiB more meanwhile."
    )


def _feed(found: Found) -> str:
    return (
        f"The change feed: {found['walk']['events_per_second']:,} events a second to one reader, {found['walk']['limit']} in a page; "
        f"a page in the midst of {found['events'][1]:,} events takes {found['middle']['ratio']:.2f} times as long as in the "
        f"midst of {found['events'][0]:,}."
    )


def _page(what: str) -> Callable[[Found], str]:
    def sentence(found: Found) -> str:
        size, one = max((int(name), one) for name, one in found.items() if name.isdigit())
        return (
            f"{what} among {size:,} records: {one['per_second']:,} a second, {one['p50_ms']:.1f} ms for a caller alone, "
            f"{one['api_ms']:.1f} ms of CPU of the API process and {one['postgres_ms']:.1f} ms of PostgreSQL."
        )

    return sentence


def _storage(found: Found) -> str:
    return (
        f"History takes {found['fresh_bytes_per_point']:.1f} bytes a value while fresh and "
        f"{found['folded_bytes_per_point']:.1f} once folded, indexes included."
    )


FACTS: dict[str, Callable[[Found], str]] = {
    "delivery_latency": _latency,
    "cores": _cores,
    "memory": _memory,
    "start": _start,
    "page_today": _page("The first page of the web app"),
    "page_work_orders": _page("A page of work orders in the web app"),
    "exports": _exports,
    "feed": _feed,
    "storage": _storage,
}
