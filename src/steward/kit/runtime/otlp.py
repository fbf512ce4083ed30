"""What the rest of the program knows of OTLP while nothing is sent over it."""


class OtlpError(Exception):
    """A collector is configured, and can't be sent to like that; the message says what is missing or wrong."""
