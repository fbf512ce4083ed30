"""A Decimal is decoded from a JSON number, digit by digit; msgspec's schema calls it a string, which is
accepted too.
"""

from typing import Any


def decimals_as_numbers(schema: Any) -> None:
    """Corrects a schema and all schemas in it in place."""
    if isinstance(schema, dict):
        if schema.get("format") == "decimal":
            schema["type"] = "number"
            del schema["format"]
        for part in schema.values():
            decimals_as_numbers(part)
    elif isinstance(schema, list):
        for part in schema:
            decimals_as_numbers(part)
