"""Pages of the documentation as tests read them: their fenced blocks, headings and links."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scripts.site.navigation import DOCS, ROOT

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)$")
_TITLE = re.compile(r'\btitle="([^"]+)"')
_NOTE = re.compile(r"^ *<!-- (not run|run|needs|until|before): *(.*?) *-->$")


class Note(NamedTuple):
    """What the line before a block says of it."""

    kind: str
    text: str


class Block(NamedTuple):
    language: str
    code: str
    line: int
    title: str | None = None
    note: Note | None = None


class Page:
    """One Markdown file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else file.name
        self.text = file.read_text(encoding="utf-8")
        self.blocks, self.prose = _parted(self.text)

    @classmethod
    def read(cls, name: str) -> "Page":
        """By its place in the project."""
        return cls(ROOT / name)

    def __repr__(self) -> str:
        return self.name


def _parted(text: str) -> tuple[tuple[Block, ...], str]:
    """The fenced blocks, and the text around them with a line for each of theirs."""
    blocks, prose = [], []
    lines = iter(enumerate(text.splitlines(), start=1))
    before = ""
    for number, line in lines:
        opening = _FENCE.match(line)
        if opening is None:
            prose.append(line)
            before = line or before
            continue
        code = []
        for _, inner in lines:
            if inner.strip() == opening["ticks"]:
                break
            code.append(inner.removeprefix(opening["indent"]))
        else:
            raise ValueError(f"the block of line {number} has no end")
        prose.extend("" for _ in range(len(code) + 2))
        blocks.append(_block(opening["info"].strip(), code, number, before))
        before = ""
    return tuple(blocks), "\n".join(prose)


def _block(info: str, code: list[str], line: int, before: str) -> Block:
    title = _TITLE.search(info)
    note = _NOTE.match(before)
    return Block(
        language=info.split(maxsplit=1)[0] if info else "",
        code="\n".join(code) + "\n",
        line=line,
        title=title[1] if title else None,
        note=Note(note[1], note[2]) if note else None,
    )


@cache
def pages() -> tuple[Page, ...]:
    """Those whose snippets are a promise to readers."""
    client = ROOT / "clients" / "python" / "README.md"
    files = [ROOT / "README.md", *sorted(DOCS.rglob("*.md")), *([client] if client.exists() else [])]
    return tuple(Page(file) for file in files)


@cache
def all_pages() -> tuple[Page, ...]:
    """Everything that people read, whether its blocks are run or not."""
    others = [*ROOT.glob("*.md"), ROOT / "bench" / "README.md", ROOT / "soak" / "README.md"]
    known = {page.file for page in pages()}
    return (*pages(), *(Page(file) for file in sorted(others) if file not in known))
