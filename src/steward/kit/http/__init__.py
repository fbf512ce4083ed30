"""The HTTP edge: routes as data, and one dispatcher that applies the same checks to every request."""
