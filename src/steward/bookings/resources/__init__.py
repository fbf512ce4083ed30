"""Bookable resources."""
