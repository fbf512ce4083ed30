"""The source as the tests of the architecture read it: parsed, by module name."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "steward"


# The packages in the order in which they may import each other: up and to the left.
ORDER = (
    "settings",
    "kit",
    "migrations",
    "organizations",
    "users",
    "roles",
    "api_keys",
    "tokens",
    "limits",
    "access",
    "locations",
    "asset_types",
    "assets",
    "telemetry",
    "alert_rules",
    "forms",
    "decks",
    "sor_schedules",
    "work_orders",
    "sor_quotations",
    "bookings",
    "visitors",
    "reports",
    "events",
    "webhooks",
    "webhook_delivery",
    "ingest",
    "upkeep",
    "web",
    "demo",
    "operations",
    "supervisor",
    "wiring",
    "cli",
    "__main__",
)
SLICES = ORDER[ORDER.index("organizations") : ORDER.index("webhooks") + 1]


def modules() -> dict[str, ast.Module]:
    """`kit.db` → its syntax tree, for every module of the package."""
    found = {}
    for file in sorted(SOURCE.rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        found[name] = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
    return found


def imports(tree: ast.Module) -> set[str]:
    """The modules of ours that a module imports, without the package's own name."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "steward":
            base = node.module.removeprefix("steward").removeprefix(".")
            for alias in node.names:
                found.add(f"{base}.{alias.name}" if base else alias.name)
        elif isinstance(node, ast.Import):
            found |= {
                alias.name.removeprefix("steward.")
                for alias in node.names
                if alias.name.startswith("steward.")
            }
    return found
