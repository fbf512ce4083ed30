"""Kinds of assets, and what their devices measure."""
