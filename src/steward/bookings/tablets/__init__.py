"""Tablets beside the doors of rooms, let in by a link."""
