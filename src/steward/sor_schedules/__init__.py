"""Schedules of rates: what a unit of work costs, and from when until when."""
