"""Readings over HTTP and MQTT beside bare batches into the database."""
