"""English for messages that are put together."""

_VOWELS = tuple("aeioAEIO")


def with_article(noun: str) -> str:
    """`an alert`, `a booking`, `a user`: by the letter, which for our nouns is by the sound."""
    return f"{'an' if noun.startswith(_VOWELS) else 'a'} {noun}"


def counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
