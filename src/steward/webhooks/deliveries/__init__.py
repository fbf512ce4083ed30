"""Deliveries to webhooks, and their results."""
