"""Every link has a target, no page is left out, on a forge as on the site."""

from scripts.site.navigation import DOCS, ROOT, Entry, navigation
from tests.docs.links import anchors, links, page_at
from tests.docs.pages import all_pages
from tests.support.offenders import listed


def test_every_link_leads_somewhere() -> None:
    broken = []
    for page in all_pages():
        for path, anchor in links(page):
            target = (page.file.parent / path).resolve() if path else page.file
            if not target.exists():
                broken.append(f"{page}: {path}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(page_at(target)):
                broken.append(f"{page}: {path}#{anchor}")
    assert broken == [], listed(broken)


def test_a_page_links_to_pages_not_to_folders() -> None:
    """A forge shows the README of a folder, the site doesn't."""
    folders = [
        f"{page}: {path}"
        for page in all_pages()
        if page.file.is_relative_to(DOCS)
        for path, _ in links(page)
        if path and (page.file.parent / path).is_dir()
    ]
    assert folders == [], listed(folders)


def _places(entries: list[Entry]) -> list[str]:
    found: list[str] = []
    for entry in entries:
        for inner in entry.values():
            found += [inner] if isinstance(inner, str) else _places(inner)
    return found


def test_every_page_is_in_the_navigation_once() -> None:
    places = [place for place in _places(navigation()) if not place.startswith("project/")]
    assert sorted(places) == sorted(file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md"))


def test_every_page_can_be_reached_from_the_start_page_by_links() -> None:
    """Also by those who read on a forge, where there is no navigation."""
    waiting, reached = [DOCS / "index.md"], set()
    while waiting:
        file = waiting.pop()
        if file in reached:
            continue
        reached.add(file)
        targets = [(file.parent / path).resolve() for path, _ in links(page_at(file)) if path]
        waiting += [target for target in targets if target.suffix == ".md" and target.exists()]
    assert {page.name for page in all_pages() if page.file.is_relative_to(DOCS)} - {
        file.relative_to(ROOT).as_posix() for file in reached
    } == set()


def test_a_page_begins_with_its_one_title() -> None:
    titles = {
        page: [n for n, line in enumerate(page.prose.splitlines(), 1) if line.startswith("# ")]
        for page in all_pages()
    }
    wrong = [
        f"{page}: titles in the lines {lines}" if lines else f"{page}: no title"
        for page, lines in titles.items()
        if len(lines) != 1
    ]
    assert wrong == [], listed(wrong)


def test_every_picture_is_shown_somewhere() -> None:
    shown = {(page.file.parent / path).resolve() for page in all_pages() for path, _ in links(page) if path}
    pictures = {file for file in (DOCS / "images").rglob("*") if file.is_file()}
    assert {str(file.relative_to(ROOT)) for file in pictures - shown} == set()
