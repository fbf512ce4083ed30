"""What is typed on the command line is held to the API's own rules, and refused in its words."""

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from steward.cli.errors import OperatorError
from steward.kit.domain.validation import invalid

S = TypeVar("S", bound=msgspec.Struct)


def checked(model: type[S], called: Mapping[str, str], **values: Any) -> S:
    """The body that the API would have read; one line with every fault where it would have refused it.

    `called` is what the fields are on the command line.
    """
    try:
        return msgspec.convert(values, model)
    except msgspec.ValidationError as error:
        faults = invalid(model, values, error).details
        words = "; ".join(f"{called.get(fault.field, fault.field)} {fault.message}" for fault in faults)
        raise OperatorError(words) from None
