"""What stops `steward up`, said in one line to the operator."""


class UpError(Exception):
    """The message is the whole explanation; it is shown without a traceback."""


class ServerDiedError(UpError):
    """The database's server ended before it was ready."""


class InUseError(UpError):
    """Another Steward holds the lock."""
