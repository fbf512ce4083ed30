"""What the client raises, as a message with its request id and the next step."""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator

import click
import httpx

from steward_client import ConnectionFailed, StewardError
from steward_client.cli.errors import (
    BROKEN_PIPE,
    CONFLICT,
    INTERRUPTED,
    NOT_ALLOWED,
    NOT_FOUND,
    REFUSED,
    TOO_MANY,
    UNREACHABLE,
    USAGE,
    CommandError,
)
from steward_client.cli.profiles import ProfileError
from steward_client.cli.session import Access, Session

_BY_STATUS = {
    401: NOT_ALLOWED,
    403: NOT_ALLOWED,
    404: NOT_FOUND,
    409: CONFLICT,
    412: CONFLICT,
    429: TOO_MANY,
}
_MOST_DETAILS = 20
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


@contextlib.contextmanager
def explained(session: Session) -> Iterator[None]:
    try:
        yield
        # What the last lines meet belongs here, too.
        sys.stdout.flush()
    except StewardError as error:
        raise explain(error, session.access) from None
    except (ProfileError, ValueError, httpx.InvalidURL) as error:
        # Of what can't be sent at all: an address, a key or an id with characters that have no place there.
        raise CommandError(str(error), USAGE) from None
    except BrokenPipeError:
        # `| head` has seen enough.
        _give_up_output()
        raise click.exceptions.Exit(BROKEN_PIPE) from None
    except OSError as error:
        if error.errno in _FULL:
            _give_up_output()
            raise CommandError(f"the output can't be written: {error.strerror}", REFUSED) from None
        raise CommandError(str(error), REFUSED) from None
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None


def _give_up_output() -> None:
    """Python would complain once more when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def explain(error: StewardError, access: Access) -> CommandError:
    if isinstance(error, ConnectionFailed):
        return CommandError(
            f"{access.url} can't be reached: {error.message}",
            UNREACHABLE,
            f"is the service running there? The address is that of the {access.source}",
        )
    if error.status is not None and "error" not in error.body:
        return _of_somebody_else(error, access)
    fields = [f"{detail.field}: {detail.message}" for detail in error.details[:_MOST_DETAILS]]
    if len(fields) == 1 and error.details[0].message in error.message:
        fields = []
    if len(error.details) > _MOST_DETAILS:
        fields.append(f"… and {len(error.details) - _MOST_DETAILS} more")
    next_step = _next_step(error, access)
    request = [f"request {error.request_id}"] if error.request_id else []
    status = error.status or 0
    code = UNREACHABLE if status >= 500 else _BY_STATUS.get(status, REFUSED)
    return CommandError(error.message, code, *fields, *next_step, *request)


def _of_somebody_else(error: StewardError, access: Access) -> CommandError:
    """What a proxy or another program wrote is for browsers; what its status and its headers say is for us."""
    if error.status is not None and 300 <= error.status < 400:
        next_step = error.message
    elif error.retry_after is not None:
        next_step = _again(error.retry_after)
    else:
        next_step = (
            "is this the address of Steward, without a path? A proxy in between may have answered, too"
        )
    code = TOO_MANY if error.status == 429 else UNREACHABLE
    return CommandError(f"{access.url} answered {error.status}, and not as Steward does", code, next_step)


def _again(seconds: float) -> str:
    return f"try again in {seconds:.0f} s"


def _next_step(error: StewardError, access: Access) -> list[str]:
    """What the status says about it, and about the refusal itself."""
    steps = {
        401: f"run `steward login`: {access.url} doesn't know the key of the {access.source}",
        403: "ask an administrator for a key that may do it",
        412: "look at it again: somebody changed it in between",
        500: "the service's log says more, by the id of the request",
    }
    if error.status == 403 and "belong" in error.message:
        return [f"is {access.organization} the organization of the key? `steward login` asks for both"]
    if error.retry_after is not None:
        return [_again(error.retry_after)]
    return [steps[error.status]] if error.status in steps else []
