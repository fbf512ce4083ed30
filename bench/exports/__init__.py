"""Whole lists as files: how fast they come, and what they take of memory."""
