"""Replays: deliveries of a span of time, once more."""
