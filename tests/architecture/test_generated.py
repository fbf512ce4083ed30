"""What is written from the code is what the code would write today."""

import pytest
from scripts.generate import ROOT, generated

FILES = generated()


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_generated_file_is_current(file) -> None:
    assert file.read_text(encoding="utf-8") == FILES[file], "run `make docs`"
