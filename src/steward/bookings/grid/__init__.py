"""Bookings of many resources at once, over a day or a week."""
