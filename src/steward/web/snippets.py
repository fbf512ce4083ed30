"""Examples of calls in curl, Python and JavaScript, ready to run with three variables set."""

import pprint
import re
import shlex
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgspec

KEY_HEADER = "X-API-Key"
KEY, URL, ORGANIZATION = "STEWARD_API_KEY", "STEWARD_URL", "STEWARD_ORG"

_PLACEHOLDER = re.compile(r"{(\w+)}")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


class ExampleCall(msgspec.Struct, frozen=True):
    """An example request: `body` is None if there is none, a text if it isn't JSON."""

    method: str
    path: str
    query: dict[str, Any]
    body: Any
    content_type: str
    public: bool

    def address(self, variable: Callable[[str], str]) -> str:
        """The path and query, with each placeholder as the language writes a variable inside a text."""
        path = _PLACEHOLDER.sub(lambda found: variable(variable_name(found[1])), self.path)
        return f"{variable(URL)}{path}{'?' + urlencode(self.query) if self.query else ''}"


class Snippet(msgspec.Struct, frozen=True):
    language: str
    code: str


def snippets(call: ExampleCall) -> list[Snippet]:
    return [
        Snippet("curl", _curl(call)),
        Snippet("Python", _python(call)),
        Snippet("JavaScript", _javascript(call)),
    ]


def variable_name(placeholder: str) -> str:
    """`workOrderId` → `WORK_ORDER_ID`; the organization is named once for all examples."""
    return ORGANIZATION if placeholder == "orgId" else _CAPITAL.sub("_", placeholder).upper()


def pretty(example: Any) -> str | None:
    """Indented JSON; an example that is text already, such as CSV, stays as it is."""
    if example is None or isinstance(example, str):
        return example
    return msgspec.json.format(msgspec.json.encode(example), indent=2).decode()


def _curl(call: ExampleCall) -> str:
    usual = call.method == "GET" or (call.method == "POST" and call.body is not None)
    method = "" if usual else f"-X {call.method} "
    lines = [f'curl {method}"{call.address(lambda name: f"${name}")}"']
    if not call.public:
        lines.append(f'-H "{KEY_HEADER}: ${KEY}"')
    if call.body is not None:
        lines.append(f'-H "Content-Type: {call.content_type}"')
        lines.append(f"-d {shlex.quote(pretty(call.body) or '')}")
    return " \\\n  ".join(lines)


def _python(call: ExampleCall) -> str:
    text = isinstance(call.body, str)
    imports = "import os\n" if call.body is None or text else "import json\nimport os\n"
    lines = [f"{imports}from urllib.request import Request, urlopen\n"]
    if call.body is not None:
        lines.append(f"body = {pprint.pformat(call.body, width=78, sort_dicts=False)}")
    lines += [
        "request = Request(",
        f'    f"{call.address(_python_variable)}",',
        f'    method="{call.method}",',
    ]
    if headers := _headers(call, f'os.environ["{KEY}"]'):
        lines.append(f"    headers={{{headers}}},")
    if call.body is not None:
        lines.append(f"    data={'body.encode()' if text else 'json.dumps(body).encode()'},")
    lines += [")", "with urlopen(request) as answer:", "    print(answer.status, answer.read().decode())"]
    return "\n".join(lines)


def _python_variable(name: str) -> str:
    return f"{{os.environ['{name}']}}"


def _javascript(call: ExampleCall) -> str:
    lines = [f"const answer = await fetch(`{call.address(lambda name: f'${{process.env.{name}}}')}`, {{"]
    lines.append(f'  method: "{call.method}",')
    if headers := _headers(call, f"process.env.{KEY}"):
        lines.append(f"  headers: {{ {headers} }},")
    if isinstance(call.body, str):
        lines.append(f"  body: {msgspec.json.encode(call.body).decode()},")
    elif call.body is not None:
        lines.append(f"  body: JSON.stringify({_indented(pretty(call.body) or '')}),")
    return "\n".join([*lines, "});", "console.log(answer.status, await answer.text());"])


def _headers(call: ExampleCall, key: str) -> str:
    headers = [] if call.public else [f'"{KEY_HEADER}": {key}']
    if call.body is not None:
        headers.append(f'"Content-Type": "{call.content_type}"')
    return ", ".join(headers)


def _indented(code: str) -> str:
    return code.replace("\n", "\n  ")
