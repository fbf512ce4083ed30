"""Readings over HTTP and MQTT beside bare batches into the database, and what happens when ten times too many come."""
