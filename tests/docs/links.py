"""Links and headings of a page, read as a forge and the site read them."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs.pages import Page

_INLINE_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"!?\[(?:[^\]]|\](?!\())*?\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_IMAGE = re.compile(r'<(?:img|source)[^>]* src="([^"]+)"')
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_LINK_TEXT = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ELSEWHERE = re.compile(r"^[a-z]+:", re.IGNORECASE)


def slug(heading: str) -> str:
    """Lower case, without punctuation, with a dash for each space."""
    text = _LINK_TEXT.sub(r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors(page: Page) -> set[str]:
    """Those that mean one heading; of several with the same text the two disagree about the others."""
    counted = Counter(slug(heading) for heading in _HEADING.findall(page.prose))
    return {anchor for anchor, times in counted.items() if times == 1}


def links(page: Page) -> Iterator[tuple[str, str]]:
    """Path and anchor of each link within the project; an empty path is the page itself."""
    # A link's text may be code; a link inside of code is none.
    prose = _INLINE_CODE.sub(lambda code: code[0] if "](" not in code[0] else "", page.prose)
    for target in [*_LINK.findall(prose), *_IMAGE.findall(prose)]:
        if not _ELSEWHERE.match(target):
            path, _, anchor = target.partition("#")
            yield path, anchor


@cache
def page_at(file: Path) -> Page:
    return Page(file)
