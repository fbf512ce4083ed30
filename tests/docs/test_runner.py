"""The runner fails where a reader would, and continues where a reader would."""

from pathlib import Path

import pytest
from tests.docs.pages import Page
from tests.docs.runner import run_page

_FENCE = "```"


def _said(folder: Path, *blocks: str) -> str:
    """What a page of these blocks prints; each begins with its note, if any, and its language."""
    file = folder / "page.md"
    parts = [_block(block) for block in blocks]
    file.write_text("# A page\n\n" + "\n\n".join(parts), encoding="utf-8")
    return run_page(Page(file), folder / "reader", {"STEWARD_ORG": "org_of_the_reader"})


def _block(text: str) -> str:
    note, _, rest = text.rpartition("-->\n")
    before = f"{note}-->\n" if note else ""
    return f"{before}{_FENCE}{rest}\n{_FENCE}"


def test_a_page_is_one_shell_and_one_interpreter(tmp_path: Path) -> None:
    said = _said(
        tmp_path,
        "sh\nexport PLACE=roof",
        "python\nimport os\nplace = os.environ['PLACE']",
        "sh\nPLACE=cellar",
        "python\nprint(place, 'then', os.environ['PLACE'], os.environ['STEWARD_ORG'])",
    )
    assert "roof then cellar org_of_the_reader" in said


@pytest.mark.parametrize(
    "block",
    [
        "sh\nfalse\necho went on",
        "sh\ncat missing.txt | sort\necho went on",
        "sh\necho $NEVER_SET",
        "python\nassert 1 == 2",
        "js\nthrow new Error('went wrong');",
        "<!-- until: never said -->\nsh\necho something else",
        "sh\npip install a-package-that-is-not-there",
    ],
)
def test_a_block_that_fails_fails_its_page(tmp_path: Path, block: str) -> None:
    with pytest.raises(AssertionError, match=r"== line \d"):
        _said(tmp_path, block, "sh\necho the rest of the page")
    assert "the rest of the page" not in (tmp_path / "reader" / ".blocks" / "output").read_text(
        encoding="utf-8"
    )


def test_a_block_with_a_title_is_a_file(tmp_path: Path) -> None:
    said = _said(tmp_path, 'python title="scripts/hello.py"\nprint("hello")', "sh\npython scripts/hello.py")
    assert "hello" in said


def test_commands_that_do_not_end_are_stopped_with_their_page(tmp_path: Path) -> None:
    said = _said(
        tmp_path,
        "<!-- until: ready -->\nsh\necho ready; echo $BASHPID > process; exec sleep 600",
        "sh\nkill -0 $(cat process)\necho it lives",
    )
    assert "it lives" in said
    process = (tmp_path / "reader" / "process").read_text(encoding="utf-8").strip()
    state = Path(f"/proc/{process}/stat")
    assert not state.exists() or " Z " in state.read_text(encoding="utf-8")


def test_notes_exclude_blocks_from_running(tmp_path: Path) -> None:
    said = _said(
        tmp_path,
        "<!-- not run: it needs another machine. -->\nsh\nfalse",
        "<!-- run: deploy -->\nsh\nfalse",
        "<!-- needs: a-program-that-nobody-has -->\nsh\nfalse",
        "<!-- needs: bash -->\nsh\necho it was run",
    )
    assert "it was run" in said
    assert said.count("not run here") == 3
