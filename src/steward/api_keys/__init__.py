"""API keys: how external systems call."""
