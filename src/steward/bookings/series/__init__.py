"""Bookings that repeat."""
