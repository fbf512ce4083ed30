"""Readings from an MQTT broker: each is acknowledged when it is committed, and not before."""
