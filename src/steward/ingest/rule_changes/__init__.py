"""Changed alert rules that a worker has yet to apply to assets."""
