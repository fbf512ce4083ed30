"""What MkDocs asks while it builds: the navigation, pages from outside of `docs/`, and mermaid from our own folder."""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

# MkDocs loads this file by its path, and `scripts` isn't on the path then.
sys.path.insert(0, str(Path(__file__).parents[2]))

from scripts.site.browser_files import MERMAID
from scripts.site.navigation import DOCS, ROOT, navigation, project_pages

_ICON = ROOT / "src" / "steward" / "web" / "static" / "icon.svg"
_LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")
_IMAGE = re.compile(r'(<img src=")([^":]+)(")')


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = navigation()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for place, source in project_pages().items():
        files.append(File.generated(config, place, content=source.read_text(encoding="utf-8")))
    for place, source in {"javascripts/mermaid.min.js": MERMAID, "images/icon.svg": _ICON}.items():
        files.append(File.generated(config, place, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links say where a file lies in the project; what is a page of the site leads there."""
    del config, files
    here = page.file.src_uri
    source = project_pages().get(here, DOCS / here)
    return _IMAGE.sub(lambda found: _moved(found, source, here), _LINK.sub(
        lambda found: _moved(found, source, here), markdown
    ))  # fmt: skip


def _moved(found: re.Match[str], source: Path, here: str) -> str:
    before, link, after = found.groups()
    target = Path(posixpath.normpath(source.parent / link))
    places = {file: place for place, file in project_pages().items()} | {ROOT / "README.md": "index.md"}
    if target in places:
        place = places[target]
    elif target.is_relative_to(DOCS) and source not in places:
        return found[0]
    elif target.is_relative_to(DOCS):
        place = _page_of(target).relative_to(DOCS).as_posix()
    else:
        return found[0]
    return f"{before}{posixpath.relpath(place, posixpath.dirname(here) or '.')}{after}"


def _page_of(target: Path) -> Path:
    """A folder is shown by its README."""
    return target / "README.md" if target.is_dir() else target
