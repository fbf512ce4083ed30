"""Asks an advisory database about every locked dependency: `make check` does, and skips it where none can be reached.

Ends with 1 only where a known vulnerability was found. `AUDIT_URL` names another database with the interface of OSV,
`AUDIT_SECONDS` how long to wait for it.
"""

import http.client
import json
import os
import re
import signal
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCKS = ("requirements.txt", "requirements-dev.txt", "requirements-bench.txt")
SOURCE = "https://api.osv.dev/v1/querybatch"
PATIENCE_SECONDS = 15.0
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def pins() -> list[tuple[str, str]]:
    """Name and version of everything that is locked."""
    texts = ((ROOT / name).read_text(encoding="utf-8") for name in LOCKS)
    return sorted({(name.lower(), version) for text in texts for name, version in _PIN.findall(text)})


def advisories(locked: list[tuple[str, str]], source: str, seconds: float) -> dict[str, list[str]]:
    """Identifiers of what is known, by `name==version`; OSError or ValueError where nobody tells."""
    queries = [
        {"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in locked
    ]
    request = urllib.request.Request(  # noqa: S310 (the address is ours or the caller's)
        source, json.dumps({"queries": queries}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=seconds) as answer:  # noqa: S310
        results = json.load(answer)["results"]
    if len(results) != len(locked):
        raise ValueError("an answer to another question")
    return {
        f"{name}=={version}": [found["id"] for found in result["vulns"]]
        for (name, version), result in zip(locked, results, strict=True)
        if result.get("vulns")
    }


def _out_of_time(_signal: int, _frame: object) -> None:
    raise TimeoutError


def main() -> int:
    source = os.environ.get("AUDIT_URL", SOURCE)
    seconds = float(os.environ.get("AUDIT_SECONDS", PATIENCE_SECONDS))
    locked = pins()
    # For all of it: each part of an answer may come in time and the whole never.
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        found = advisories(locked, source, seconds)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, http.client.HTTPException) as error:
        print(f"audit: skipped, {source} could not be asked ({type(error).__name__})")  # noqa: T201
        return 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    for name, ids in found.items():
        print(f"audit: {name} has known vulnerabilities: {', '.join(ids)}")  # noqa: T201
    if not found:
        print(f"audit: {len(locked)} locked dependencies, none with a known vulnerability")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
