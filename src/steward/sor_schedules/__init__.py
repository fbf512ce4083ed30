"""Schedules of rates: the price of a unit of work, and from when until when."""
