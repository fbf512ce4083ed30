"""Quickstart and how-tos as a reader goes through them: every `sh` block, one after the other, in one shell."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.organizations import Organization

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (
    "quickstart/README.md",
    "howto/connect-devices.md",
    "howto/follow-changes.md",
    "howto/sync-with-an-erp.md",
    "howto/receive-webhooks.md",
    "howto/forgotten-passwords.md",
)
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OUR_VARIABLES = {"STEWARD_URL", "STEWARD_API_KEY", "STEWARD_ORG"}
# curl says nothing of a refusal by itself.
_STRICT = 'set -euo pipefail\ncurl() { command curl -sS --fail-with-body "$@"; echo; }\n'


def _script() -> str:
    blocks = []
    for page in PAGES:
        for number, code in enumerate(_BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))):
            blocks.append(f"echo '== {page} {number}'\n{code}")
    return _STRICT + "\n".join(blocks)


def test_every_howto_is_walked_through() -> None:
    assert {DOCS / page for page in PAGES[1:]} == set((DOCS / "howto").glob("*.md"))


def test_the_pages_use_no_other_variables_of_the_environment() -> None:
    """What a block uses was set by one before it, or is one of the three that all examples share."""
    script = _script()
    used = set(re.findall(r"\$\{?([A-Z][A-Z_]*)", script))
    set_by_us = set(re.findall(r"^([A-Z][A-Z_]*)=", script, re.MULTILINE))
    assert used - set_by_us == _OUR_VARIABLES


def test_examples_everywhere_use_the_same_variables() -> None:
    """In the web app and in `/docs`, too; a token is what the deprecated way needs."""
    root = DOCS.parent
    files = [root / "README.md", root / "SECURITY.md", *(root / "src").rglob("templates/**/*.html")]
    used = {
        name for file in files for name in re.findall(r"\$([A-Z][A-Z_]*)", file.read_text(encoding="utf-8"))
    }
    assert used - {"TOKEN", "LAST_EVALUATED_KEY"} == _OUR_VARIABLES


def test_quickstart_to_howto_is_one_path(organization: Organization, tmp_path: Path) -> None:
    if missing := [program for program in ("bash", "curl", "jq") if shutil.which(program) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    ran = subprocess.run(
        ["bash", "-c", _script()],
        env={
            "PATH": os.environ["PATH"],
            "STEWARD_URL": organization.base_url,
            "STEWARD_ORG": organization.id,
            "STEWARD_API_KEY": organization.secret,
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "workorder.created wo_" in ran.stdout, "the feed has told of the order"
    assert re.search(r"^whsec_", ran.stdout, re.MULTILINE)
    titles = [order["title"] for order in organization.work_orders.listed()]
    assert {"Tap drips", "Change filter", "Lift is stuck again", "Door squeaks", "Lift is stuck"} <= set(
        titles
    )
