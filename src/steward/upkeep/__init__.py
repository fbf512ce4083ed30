"""The clocks: what the worker does by itself, now and again."""
