"""The error of a field, and its sentence for people."""

import msgspec


class ErrorDetail(msgspec.Struct, frozen=True):
    """One field that is wrong, and how."""

    field: str
    message: str


# First words of messages whose subject is the field.
_VERBS = frozenset(
    "are belongs can't ends has holds is leave leaves lies makes may must names needs reaches stands takes was".split()  # noqa: SIM905 (a list is to be read)
)

# Names and messages may quote what a caller sent, however long.
MAX_FIELD_LENGTH = 300
MAX_MESSAGE_LENGTH = 3000


def sentence(detail: ErrorDetail) -> str:
    """Starts with the name of the field, if the message goes on with a verb."""
    text = detail.message
    if text.partition(" ")[0] in _VERBS:
        text = f"{detail.field or 'The body'} {text}"
    elif detail.field:
        text = f"{detail.field}: {text}"
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def more_faults(count: int) -> str:
    if not count:
        return ""
    return f" {count} more {'fault is' if count == 1 else 'faults are'} named in details."


def shortened(detail: ErrorDetail) -> ErrorDetail:
    if len(detail.field) <= MAX_FIELD_LENGTH and len(detail.message) <= MAX_MESSAGE_LENGTH:
        return detail
    return ErrorDetail(_cut(detail.field, MAX_FIELD_LENGTH), _cut(detail.message, MAX_MESSAGE_LENGTH))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
