"""Recurring bookings."""
