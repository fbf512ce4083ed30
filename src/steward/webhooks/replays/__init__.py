"""Deliveries of a span of time, once more."""
