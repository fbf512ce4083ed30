"""Readings: their layout, storage and queries."""
