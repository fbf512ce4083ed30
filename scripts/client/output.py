"""All generated files, formatted."""

import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.client.document import Document
from scripts.client.models import NOTE, model_modules
from scripts.client.operations import operation_modules
from scripts.client.sync import to_sync

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "clients" / "python" / "src" / "steward_client"


def generated() -> dict[Path, str]:
    """Every generated file with what belongs into it."""
    document = Document(ROOT / "openapi.json")
    files = {PACKAGE / "models" / name: text for name, text in model_modules(document).items()}
    operations = {
        PACKAGE / "_async" / "operations" / name: text for name, text in operation_modules(document).items()
    }
    sources = {file: file.read_text(encoding="utf-8") for file in (PACKAGE / "_async").glob("*.py")}
    for file, text in (sources | operations).items():
        sync = PACKAGE / "_sync" / file.relative_to(PACKAGE / "_async")
        files[sync] = to_sync(text) if file in operations else NOTE + to_sync(_undocumented(text))
    return _formatted(files | operations)


def _undocumented(source: str) -> str:
    """Without the module's docstring, whose place the note takes."""
    return source.split('"""\n', 1)[1] if source.startswith('"""') else source


def _formatted(files: dict[Path, str]) -> dict[Path, str]:
    """By ruff, which sorts imports, too, and shortens loops that are left of async ones."""
    with tempfile.TemporaryDirectory() as folder:
        places = {file: Path(folder) / file.relative_to(PACKAGE) for file in files}
        for file, place in places.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(files[file], encoding="utf-8")
        for command in (
            ["check", "--select", "I,UP028", "--fix", "--unsafe-fixes", "--quiet"],
            ["format", "--quiet"],
        ):
            config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
            subprocess.run([sys.executable, "-m", "ruff", *command, *config, folder], check=True)
        return {file: place.read_text(encoding="utf-8") for file, place in sorted(places.items())}


def write() -> list[Path]:
    """The files that have changed, or have gone."""
    files = generated()
    folders = [PACKAGE / "models", PACKAGE / "_sync", PACKAGE / "_async" / "operations"]
    gone = [old for folder in folders for old in folder.rglob("*.py") if old not in files]
    for file in gone:
        file.unlink()
    changed = [file for file, text in files.items() if not file.exists() or file.read_text("utf-8") != text]
    for file in changed:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(files[file], encoding="utf-8")
    return gone + changed
