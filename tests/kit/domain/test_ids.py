import threading

from hypothesis import given
from hypothesis import strategies as st

from steward.kit.domain.ids import AFTER_ALL, new_id

PREFIXES = [
    "org",
    "usr",
    "rol",
    "key",
    "whk",
    "evt",
    "req",
    "dlv",
    "ast",
    "aty",
    "arl",
    "alt",
    "loc",
    "frm",
    "fsb",
    "dck",
    "wo",
    "cmt",
    "rsc",
    "bkg",
    "vis",
    "sch",
    "soi",
    "quo",
]


def test_identifiers_grow_and_never_repeat() -> None:
    made = [new_id("wo") for _ in range(10_000)]
    assert made == sorted(set(made))


def test_the_client_is_thread_safe() -> None:
    made: list[list[str]] = [[] for _ in range(4)]

    def make(into: list[str]) -> None:
        into += [new_id("wo") for _ in range(2_000)]

    threads = [threading.Thread(target=make, args=(into,)) for into in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(into == sorted(into) for into in made)
    assert len({id for into in made for id in into}) == 8_000


@given(st.sampled_from(PREFIXES))
def test_an_identifier_has_a_prefix_is_short_and_sorts_by_time(prefix: str) -> None:
    made = new_id(prefix)
    assert made.startswith(f"{prefix}_")
    assert len(made) <= 40
    assert made.isascii()
    assert made.partition("_")[2].isalnum()
    assert made < AFTER_ALL
