"""Tablets beside the doors of rooms, authorized by a link."""
