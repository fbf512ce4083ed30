"""Puts deliveries right that no worker would find by itself."""
