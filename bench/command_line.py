"""What the command lines of all programs here have in common."""

import argparse
import signal
import sys
from collections.abc import Sequence


def parse(
    parser: argparse.ArgumentParser, words: Sequence[str], *, unwritten: bool = True
) -> argparse.Namespace:
    """The options, among them whether the figures are kept; from then on, being told to stop also tidies up."""
    if unwritten:
        parser.add_argument("--unwritten", action="store_true", help="leave bench/results as it is")
    options = parser.parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return options
