"""Every curl line of docs/reference/api is sent: the service understands it, and answers with what the page says it may."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.docs.pages import Page, pages
from tests.support.organizations import Organization
from tests.support.waiting import limit

pytestmark = pytest.mark.long

_FOLDER = "docs/reference/api/"
_ANSWERS = re.compile(r"^Answers (\d.+)\.$", re.MULTILINE)
_VARIABLE = re.compile(r"\$([A-Z][A-Z_]*)")
# Of the right form, and of nobody: most examples are answered 404, or 422 where the body names a record.
_UNKNOWN = "wo_00064a1b2c3d4e5f60718293a4b5"
# That a request can't be read, doesn't exist, or broke the service.
_NOT_UNDERSTOOD = {400, 405, 413, 415, 500, 503}
_SHELL = 'curl() { command curl -sS -o /dev/null -w "%{http_code}\\n" "$@"; }\n'


def _examples(page: Page) -> list[tuple[int, str, set[int]]]:
    """Line, code and the documented statuses of each."""
    told = [
        {int(status) for status in re.findall(r"\b\d{3}\b", said)} for said in _ANSWERS.findall(page.text)
    ]
    blocks = [block for block in page.blocks if block.language == "sh"]
    return [(block.line, block.code, statuses) for block, statuses in zip(blocks, told, strict=True)]


def test_every_example_is_understood(organization: Organization, tmp_path: Path) -> None:
    if missing := [program for program in ("bash", "curl") if shutil.which(program) is None]:
        pytest.skip(f"not installed: apt-get install {' '.join(missing)}")
    found = [
        (f"{page}:{line}", code, statuses)
        for page in pages()
        if page.name.startswith(_FOLDER)
        for line, code, statuses in _examples(page)
    ]
    codes = "\n".join(code for _, code, _ in found)
    variables = {
        **dict.fromkeys(_VARIABLE.findall(codes), _UNKNOWN),
        "STEWARD_URL": organization.base_url,
        "STEWARD_ORG": organization.id,
        "STEWARD_API_KEY": organization.secret,
    }
    done = subprocess.run(
        ["bash", "-c", _SHELL + codes],
        env={"PATH": os.environ["PATH"], **variables},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=limit(300),
        check=False,
    )
    answers = [int(line) for line in done.stdout.split()]
    assert len(answers) == len(found), done.stderr
    wrong = {
        place: answer
        for (place, _, statuses), answer in zip(found, answers, strict=True)
        if answer in _NOT_UNDERSTOOD or answer not in statuses
    }
    assert wrong == {}
    assert sum(answer < 300 for answer in answers) > len(answers) / 4
