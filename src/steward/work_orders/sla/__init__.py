"""By when work has to be responded to and resolved."""
