"""Readings from LoRaWAN network servers."""
