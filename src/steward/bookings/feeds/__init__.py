"""Calendars of resources, for calendar programs."""
