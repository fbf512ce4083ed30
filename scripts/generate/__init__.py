"""Writes what is made from the code: openapi.json and the generated pages under docs/reference."""

import json
from pathlib import Path

from scripts.generate.api import api_pages
from scripts.generate.commands import commands
from scripts.generate.errors import errors
from scripts.generate.events import events
from scripts.generate.limits import limits
from scripts.generate.metrics import metrics
from scripts.generate.moves import moves
from scripts.generate.permissions import permissions
from scripts.generate.settings import settings
from steward.wiring.routes import api_document

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
API = REFERENCE / "api"


def generated() -> dict[Path, str]:
    """Every generated file with what belongs into it."""
    document = api_document()
    return {
        ROOT / "openapi.json": json.dumps(document, indent=1, ensure_ascii=False) + "\n",
        REFERENCE / "settings.md": settings(),
        REFERENCE / "permissions.md": permissions(),
        REFERENCE / "limits.md": limits(),
        REFERENCE / "errors.md": errors(),
        REFERENCE / "moves.md": moves(),
        REFERENCE / "events.md": events(document),
        REFERENCE / "metrics.md": metrics(),
        REFERENCE / "options.md": commands(),
        **{API / name: text for name, text in api_pages(document).items()},
    }


def write() -> list[Path]:
    """All of them; a page of a tag that there isn't any more goes."""
    files = generated()
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for stale in set(API.glob("*.md")) - set(files):
        stale.unlink()
    return list(files)
