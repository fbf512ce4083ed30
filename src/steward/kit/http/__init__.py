"""The HTTP edge: routes as data, one dispatcher that holds every request to the same manners."""
