"""Dashboards made of cards."""
