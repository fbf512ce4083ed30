"""What is said of snippets holds for all of them; tests/e2e/test_docs.py runs them."""

from scripts.site.navigation import ROOT
from tests.docs.pages import Block, Page, pages
from tests.docs.runner import RUN
from tests.docs.syntax import CHECKS
from tests.support.offenders import listed

# So many blocks are read by people only. Each needs a reason; another one needs a good reason.
_MOST_NOT_RUN = 20


def _blocks(kind: str) -> list[tuple[Page, Block]]:
    return [
        (page, block) for page in pages() for block in page.blocks if block.note and block.note.kind == kind
    ]


def test_every_code_block_parses() -> None:
    wrong = [
        f"{page}:{block.line}: {fault}"
        for page in pages()
        for block in page.blocks
        if (fault := _fault(block)) is not None
    ]
    assert wrong == [], listed(wrong)


def _fault(block: Block) -> str | None:
    if block.language not in CHECKS:
        return f"a test knows nothing of {block.language or 'no language'!r}"
    try:
        CHECKS[block.language](block.code)
    except (AssertionError, SyntaxError, ValueError) as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 (each reader has errors of its own)
        return f"{type(error).__name__}: {error}"
    return None


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    excused = _blocks("not run")
    unexplained = [
        f"{page}:{block.line}" for page, block in excused if block.note and len(block.note.text.split()) < 4
    ]
    assert unexplained == []
    places = [f"{page}:{block.line}" for page, block in excused]
    assert len(places) <= _MOST_NOT_RUN, places


def test_pages_run_by_another_test_are_listed_there() -> None:
    for page, block in _blocks("run"):
        assert block.note
        place = ROOT / "tests" / block.note.text
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        texts = [file.read_text(encoding="utf-8") for file in files if file.exists()]
        names = (page.file.name, f"{page.file.parent.relative_to(ROOT).as_posix()}/")
        known = [text for text in texts if any(name in text for name in names)]
        assert known, f"{page}:{block.line}: nothing in tests/{block.note.text} names {page.name}"


def test_a_note_precedes_a_code_block() -> None:
    """Elsewhere it would say nothing."""
    for page in pages():
        said = sum(
            page.prose.count(f"<!-- {kind}:") for kind in ("not run", "run", "needs", "until", "before")
        )
        assert said == sum(block.note is not None for block in page.blocks), page


def test_only_runnable_blocks_have_run_notes() -> None:
    noted = _blocks("until") + _blocks("before")
    assert [f"{page}:{block.line}" for page, block in noted if block.language not in RUN or block.title] == []


def test_no_default_password_is_printed_for_a_real_service() -> None:
    found = [
        f"{page}:{block.line}"
        for page in pages()
        if page.name.startswith("docs/operate/")
        for block in page.blocks
        if "--admin-password " in block.code
    ]
    assert found == []
