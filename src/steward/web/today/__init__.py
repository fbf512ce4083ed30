"""The first page: what the day asks of whoever looks at it."""
