"""How long it takes from a command to readiness."""
