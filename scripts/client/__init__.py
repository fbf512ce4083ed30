"""Writes the generated part of the Python client from openapi.json: `python -m scripts.client`."""
