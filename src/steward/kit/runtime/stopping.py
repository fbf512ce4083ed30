"""That a process shall end, and in which way."""

import asyncio
from enum import Enum, auto


class StopMode(Enum):
    # Goes on accepting for a while, so that load balancers notice before anybody is refused.
    DRAIN = auto()
    # Another process accepts on the same socket already.
    HAND_OVER = auto()
    # Somebody sits at a terminal and waits.
    BATCH_SIZE = auto()


class Stop(asyncio.Event):
    """Set once; whoever asks a second time doesn't change the manner."""

    def __init__(self) -> None:
        super().__init__()
        self.manner = StopMode.DRAIN

    def ask(self, manner: StopMode = StopMode.DRAIN) -> None:
        if not self.is_set():
            self.manner = manner
            self.set()
