"""The rates of a schedule."""
