"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""
