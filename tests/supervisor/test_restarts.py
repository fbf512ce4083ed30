import pytest

from steward.supervisor.restarts import RestartBackoff, RestartLimitReached, describe_exit, restart_delay


@pytest.mark.parametrize(
    ("deaths", "delay"),
    [
        ([0.0], 0.2),
        ([0.0, 1.0], 0.4),
        ([0.0, 1.0, 2.0], 0.8),
        ([0.0, 1.0, 2.0, 3.0], 1.6),
        ([0.0, 1.0, 2.0, 3.0, 4.0], None),
        ([0.0, 1.0, 2.0, 3.0, 59.9], None),
        ([0.0, 1.0, 2.0, 3.0, 60.0], 3.2),
        ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], 5.0),
        ([0.0, 1.0, 2.0, 3.0, 63.0], 0.2),
        ([0.0, 61.0, 62.0], 0.4),
    ],
)
def test_restarts_back_off_until_the_supervisor_gives_up(deaths: list[float], delay: float | None) -> None:
    assert restart_delay(deaths) == (delay if delay is None else pytest.approx(delay))


def test_giving_up_names_the_process_and_its_last_exit() -> None:
    restarts = RestartBackoff("api")
    for moment in range(4):
        restarts.delay_after(moment, "exit code 1")
    with pytest.raises(
        RestartLimitReached, match=r"^api keeps dying \(5 times in 60 s, last: SIGSEGV\); giving up$"
    ):
        restarts.delay_after(4, "SIGSEGV")


def test_an_exit_status_is_shown_in_words() -> None:
    assert [describe_exit(code) for code in (0, 3, -9, -99)] == [
        "exit code 0",
        "exit code 3",
        "SIGKILL",
        "signal 99",
    ]
