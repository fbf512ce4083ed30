"""How a schema is written as a type of Python."""

import re
import textwrap
from dataclasses import dataclass

from scripts.client.document import Document, Schema, ref_name
from scripts.client.names import model_name

_WIDTH = 107
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


@dataclass(frozen=True)
class Style:
    """`given` is for what callers hand over: any sequence, plain words for fixed ones, mappings for records."""

    document: Document
    prefix: str = ""
    given: bool = False

    def annotation(self, schema: Schema) -> str:
        if "$ref" in schema:
            return self._reference(ref_name(schema))
        if "anyOf" in schema:
            return union(*(self.annotation(one) for one in schema["anyOf"]))
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if schema.get("type") == "array":
            return f"{'Sequence' if self.given else 'list'}[{self.annotation(schema.get('items', {}))}]"
        if schema.get("type") == "object":
            values = schema.get("additionalProperties")
            inner = self.annotation(values) if isinstance(values, dict) else "Any"
            return f"{'Mapping' if self.given else 'dict'}[str, {inner}]"
        return _PLAIN[schema["type"]] if "type" in schema else "Any"

    def _reference(self, name: str) -> str:
        found = self.prefix + model_name(name)
        if not self.given:
            return found
        if "enum" in self.document.schemas[name]:
            return f"{found}Like"
        return f"{found} | Mapping[str, Any]"


def description(schema: Schema) -> str:
    """Of the value itself, or of the only thing that it may be besides null."""
    if "description" in schema:
        return str(schema["description"])
    return next((str(one["description"]) for one in schema.get("anyOf", ()) if "description" in one), "")


def union(*kinds: str) -> str:
    """Each of them once, and None at the end."""
    parts = dict.fromkeys(part for kind in kinds for part in re.split(r" \| (?![^\[]*\])", kind))
    return " | ".join(sorted(parts, key=lambda part: part == "None"))


def docstring(text: str, indent: int) -> str:
    """As a literal over any number of lines, each of which is as long as it may be."""
    safe = text.strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    blank = " " * indent
    lines = [wrapped for line in safe.split("\n") for wrapped in _wrapped(line, _WIDTH - indent)]
    if len(lines) == 1 and len(safe) + indent + 6 <= _WIDTH and not safe.endswith('"'):
        return f'"""{safe}"""'
    return f"\n{blank}".join([f'"""{lines[0]}', *lines[1:], '"""'])


def _wrapped(line: str, width: int) -> list[str]:
    """What is indented goes on with a deeper indent."""
    indent = len(line) - len(line.lstrip())
    blank = " " * (indent + 4 if indent else 0)
    return textwrap.wrap(
        line, width, subsequent_indent=blank, break_long_words=False, break_on_hyphens=False
    ) or [""]
