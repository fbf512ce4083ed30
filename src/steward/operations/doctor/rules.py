"""What the facts of a deployment mean: facts in, a finding out."""

from collections.abc import Iterable, Mapping, Sequence

from steward.operations.doctor.model import Finding, State, judged

CLOCK_SECONDS = 10.0
# Long before the server would refuse to write, which it does at about 2,100 million.
OLD_TRANSACTIONS = 1_000_000_000
# With less room, or less than a tenth of a small volume, a volume is full before long.
ROOM_BYTES = 1 << 30

_SCHEMA = "the database has the schema of this version"
_MIGRATE = "run `steward migrate`"


def judge_disk(where: str, free: int, total: int, needed: int) -> Finding:
    """`where` names the volume and what is free on it; without the bytes that are needed the server doesn't start."""
    state = State.FAIL if free < needed else State.WARN
    evidence = [where] if free < max(needed, min(ROOM_BYTES, total // 10)) else []
    return judged("disk", f"the volume of the database has room ({where})", evidence, state)


def judge_clocks(before: float, database: float, after: float) -> Finding:
    """The database's clock was read between two looks at ours."""
    apart = max(before - database, database - after, 0.0)
    evidence = [f"they are {apart:.1f} s apart"] if apart > CLOCK_SECONDS else []
    return judged("clocks agree", "the clocks of this machine and of the database agree", evidence)


def judge_schema(
    version: str, known: Mapping[int, str], applied: Mapping[int, str], *, is_behind: bool
) -> Finding:
    """Of the migrations that this version knows and that the database has: files by their numbers. It `is_behind` where its
    events have yet to be put in order."""
    sentence, evidence, state = _SCHEMA, [], State.FAIL
    missing = [file for number, file in known.items() if number not in applied]
    newer = [file for number, file in applied.items() if number not in known]
    if not applied:
        evidence = [f"the database has no tables of Steward: {_MIGRATE}"]
    elif missing:
        evidence = [f"Steward {version} needs {', '.join(missing[:3])}: {_MIGRATE}"]
    elif newer:
        evidence = [f"the database has {file}, which Steward {version} doesn't know" for file in newer]
        state = State.WARN
    elif is_behind:
        evidence = [f"it was restored elsewhere, and its events have no order yet: {_MIGRATE}"]
    else:
        sentence = f"{_SCHEMA} (Steward {version}, migration {max(applied)})"
    return judged("schema", sentence, evidence, state)


def judge_partitions(without_present: Sequence[str], missing: Iterable[str]) -> Finding:
    """Of the tables that have no partition for the present, and of all that lack any."""
    ahead = sorted(set(missing) - set(without_present))
    lines = [f"{table} has none for the present" for table in without_present]
    lines += [f"{table} lacks some that are to come" for table in ahead]
    state = State.FAIL if without_present else State.WARN
    return judged("partitions are ahead", "partitions are made ahead of time", lines, state)


def judge_strays(tables: Iterable[str]) -> Finding:
    return judged(
        "partitions hold all rows",
        "every row of today lies in a partition of its time",
        [f"{table} has rows of the present in none" for table in tables],
        State.WARN,
    )


def judge_secrets(unopened: Iterable[str], older: Iterable[str]) -> Finding:
    """Of the values that no key opens, and of those that another key than the present one has sealed."""
    lines = [f"{value} can't be opened" for value in unopened]
    state = State.FAIL if lines else State.WARN
    lines = lines or [
        f"{value} is sealed by another key than the present: run `steward rotate-key`" for value in older
    ]
    return judged("secrets", "the secret key opens what is sealed in the database", lines, state)


def judge_transaction_age(database: str, age: int) -> Finding:
    """`age` is how many transactions lie behind the oldest that vacuum has yet to see."""
    return judged(
        "transaction numbers are cleaned up",
        "transaction ID wraparound is far away",
        [f"{database} has transactions that are {age} old"] if age > OLD_TRANSACTIONS else [],
        State.WARN,
    )
