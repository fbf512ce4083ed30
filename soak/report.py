"""What happened, in counts."""

from collections import Counter

from soak.invariants import Check, undelivered, unready
from soak.spans import longest
from soak.stage import Stage


def show(stage: Stage, checks: list[Check]) -> None:
    print(f"\n== {stage.name} ==")
    slow = {"  sockets held by slow clients": stage.slow_clients} if stage.slow_clients else {}
    _table("faults", {**stage.counts, **slow})
    _recoveries(stage)
    _table("acknowledged", stage.ledger.acknowledged())
    _table("not counted", stage.ledger.not_counted())
    _table("answers", {**dict(sorted(stage.tally.answers.items())), "connection broke": stage.tally.broken})
    received = len(stage.receivers.arrivals)
    _table(
        "deliveries",
        {
            "events": stage.receivers.distinct,
            "received": received,
            "received again": received - stage.receivers.distinct,
            **{f"to one that is bad ({kind})": count for kind, count in sorted(stage.receivers.bad.items())},
        },
    )
    _table("read from the change feed", {"events": len(stage.feed.seen)})
    looks = Counter(look.seen for look in stage.watch.looks)
    _table("looks at readiness", looks)
    print(f"  longest time not ready: {longest(unready(stage)).seconds:.1f} s")
    print(f"  longest wait for an answer: {stage.tally.longest_seconds:.1f} s")
    print("  must hold")
    for check in checks:
        print(
            f"    {'ok  ' if check.holds else 'FAIL'} {check.name}: {check.found:g} (at most {check.limit:g})"
        )
        if not check.holds:
            for line in check.evidence:
                print(f"           {line}")


def summarize(results: list[tuple[Stage, list[Check]]]) -> None:
    """Both deployments together, in one line each."""
    stages = [stage for stage, _ in results]
    checks = [check for _, found in results for check in found]
    faults = sum((stage.counts for stage in stages), Counter())
    received = sum(len(stage.receivers.arrivals) for stage in stages)
    again = received - sum(stage.receivers.distinct for stage in stages)
    print("\n== together ==")
    print(f"  faults: {sum(faults.values()):,} of {len(faults)} kinds")
    print(f"  acknowledged: {sum(sum(stage.ledger.acknowledged().values()) for stage in stages):,}")
    print(f"  lost: {sum(check.found for check in checks if check.sum == 'lost'):g}")
    print(f"  twice: {sum(check.found for check in checks if check.sum == 'twice'):g}")
    print(f"  deliveries received: {received:,}, again: {again:,}")
    print(f"  longest time not ready: {max(longest(unready(stage)).seconds for stage in stages):.1f} s")
    print(
        f"  longest silence of deliveries: {max(longest(undelivered(stage)).seconds for stage in stages):.1f} s"
    )


def _recoveries(stage: Stage) -> None:
    worst: dict[str, float] = {}
    for one in stage.happened:
        worst[one.kind] = max(worst.get(one.kind, 0.0), one.recovery_seconds)
    print("  longest recovery after the end of a fault, s")
    print("    " + ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in worst.items()))
    for line in stage.failed_faults:
        print(f"    could not be done: {line}")


def _table(title: str, counts: dict[str, int] | Counter[str]) -> None:
    print(f"  {title}")
    for name, count in counts.items():
        print(f"    {count:>8,} {name}")
