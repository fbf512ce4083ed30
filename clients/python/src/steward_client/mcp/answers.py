"""What an assistant is shown of an answer: whole records, as many as fit, and how to get on."""

import json
from collections.abc import Mapping
from typing import Any

# About 10 000 tokens: what an assistant can read beside everything else.
MOST_CHARACTERS = 40_000
CURSOR = "lastEvaluatedKey"


def without_empty(value: Any) -> Any:
    """Without fields that are null or empty, which say nothing and are most of a record."""
    if isinstance(value, dict):
        kept = {name: without_empty(each) for name, each in value.items()}
        return {name: each for name, each in kept.items() if each is not None and each not in ([], {})}
    if isinstance(value, list):
        return [without_empty(each) for each in value]
    return value


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shown(answer: Any, tool: str, most: int = MOST_CHARACTERS) -> list[str]:
    """The answer as JSON, and a sentence where there is more of it."""
    if isinstance(answer, dict) and isinstance(answer.get("data"), list):
        return _page(answer, tool, most)
    data = answer["data"] if isinstance(answer, dict) and "data" in answer else answer
    text = as_text(without_empty(data))
    if len(text) <= most:
        return [text]
    return [text[:most], f"The answer was cut: these are {most} of its {len(text)} characters."]


def _page(answer: Mapping[str, Any], tool: str, most: int) -> list[str]:
    records = [without_empty(record) for record in answer["data"]]
    fitting = _fitting(records, most)
    if fitting < len(records):
        again = (
            f"Only {fitting} of the {len(records)} records of this page are shown, as it is too large. "
            f"For the others call {tool} again with the same arguments and limit={max(fitting, 1)}, "
            f"and go on from the {CURSOR} of that answer."
        )
        if fitting:
            return [as_text({"data": records[:fitting]}), again]
        # One that doesn't fit by itself: its beginning is better than nothing.
        return [as_text(records[0])[:most], f"The first record was cut. {again}"]
    text = as_text({"data": records})
    if cursor := answer.get(CURSOR):
        more = f'There are more: call {tool} again with the same arguments and {CURSOR}="{cursor}".'
        return [text, more]
    return [text, "That is all."]


def _fitting(records: list[Any], most: int) -> int:
    """How many of them, from the first, have room."""
    used = len('{"data":[]}')
    for number, record in enumerate(records):
        used += len(as_text(record)) + 1
        if used > most:
            return number
    return len(records)
