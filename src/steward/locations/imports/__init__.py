"""Locations from a file."""
