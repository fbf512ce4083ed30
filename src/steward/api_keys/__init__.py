"""How external systems call."""
