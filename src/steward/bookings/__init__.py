"""Bookable resources, and who has them when."""
