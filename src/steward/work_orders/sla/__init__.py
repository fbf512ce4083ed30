"""Deadlines for response and resolution."""
