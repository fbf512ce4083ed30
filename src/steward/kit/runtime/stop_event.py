"""That a process shall end, and in which way."""

import asyncio
from enum import Enum, auto


class StopMode(Enum):
    # Goes on accepting for a while, so that load balancers notice before anybody is refused.
    DRAIN = auto()
    # Another process accepts on the same socket already.
    HAND_OVER = auto()
    # A person waits at a terminal.
    IMMEDIATE = auto()


class StopEvent(asyncio.Event):
    """Set once; a second request doesn't change the mode."""

    def __init__(self) -> None:
        super().__init__()
        self.mode = StopMode.DRAIN

    def request(self, mode: StopMode = StopMode.DRAIN) -> None:
        if not self.is_set():
            self.mode = mode
            self.set()
