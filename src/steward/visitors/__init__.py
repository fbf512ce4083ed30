"""Visitors, and the erasure of their personal data."""
