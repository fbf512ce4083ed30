"""`python -m scripts.site build [folder]` writes the site into a folder, `serve` shows it and follows changes."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from scripts.node import ROOT
from scripts.site import browser_files

_ADDRESS = "127.0.0.1:8001"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.site")
    verbs = parser.add_subparsers(dest="verb", required=True)
    build = verbs.add_parser("build", help="write the site; any warning is a failure")
    build.add_argument("folder", nargs="?", default="site")
    serve = verbs.add_parser("serve", help="show the site and follow changes")
    serve.add_argument("--address", default=_ADDRESS)
    asked = parser.parse_args()
    try:
        browser_files.fetch()
    except subprocess.CalledProcessError as error:
        print(  # noqa: T201
            f"site: mermaid could not be fetched ({error.cmd[0]} ended with {error.returncode}); it needs the npm registry.",
            file=sys.stderr,
        )
        return 1
    # Not `--quiet`: it hides warnings also from `--strict`.
    mkdocs = [sys.executable, "-m", "mkdocs"]
    if asked.verb == "build":
        command = [*mkdocs, "build", "--strict", "--clean", "--site-dir", str(Path(asked.folder).resolve())]
    else:
        command = [*mkdocs, "serve", "--dev-addr", asked.address]
    # The theme advertises another tool in each build, unless told not to.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    try:
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
