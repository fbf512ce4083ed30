"""Readings on their way in: from HTTP and MQTT into one batch writer, which decides what they mean and stores it."""
