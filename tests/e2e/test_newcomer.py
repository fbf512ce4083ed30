"""README.md as a newcomer follows it: a fresh clone, its commands as they are written, a webhook, and the browser."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import expect
from tests.docs.pages import Page
from tests.support.chromium import launched
from tests.support.launching import remove_cluster
from tests.support.ports import free_port
from tests.support.waiting import limit, wait_for

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]


class Newcomer:
    """A person with a clone, a terminal in which `make run` goes on, and another one."""

    def __init__(self, folder: Path) -> None:
        self.clone = folder / "steward"
        subprocess.run(["git", "clone", "--quiet", ROOT, self.clone], check=True)
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            # Where another service has the usual ports; the command stays as it is written.
            "STEWARD_PORT": str(free_port()),
            "STEWARD_METRICS_ADDRESS": "off",
            # How this machine reaches the registries.
            **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "npm_config_"))},
        }
        for file in (".npmrc", ".config/pip"):
            if (there := Path.home() / file).exists():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).symlink_to(there)
        self._log = folder / "run.log"
        self._started: list[subprocess.Popen[bytes]] = []
        self.blocks = [block for block in Page.read("README.md").blocks if block.language in {"sh", "python"}]

    def begin(self, command: str, log: Path) -> subprocess.Popen[bytes]:
        with log.open("wb") as sink:
            process = subprocess.Popen(
                ["bash", "-ec", command],
                cwd=self.clone,
                env=self._environment,
                stdout=sink,
                stderr=sink,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def start_service(self) -> None:
        process = self.begin(self._block("make run"), self._log)

        def is_ready() -> bool:
            assert process.poll() is None, self.said
            return "  curl " in self.said

        wait_for("the welcome of `make run`", is_ready, 600)
        for line in re.findall(r"^ *export (.*)$", self.said, re.MULTILINE):
            self._environment.update(pair.split("=", 1) for pair in line.split())

    def follow_second_terminal(self) -> Path:
        """What the receiver prints goes to the file that comes back."""
        receiver = next(block for block in self.blocks if block.title == "receiver.py")
        (self.clone / "receiver.py").write_text(receiver.code, encoding="utf-8")
        printed = self.clone.with_name("second.log")
        self.begin(self._block("webhooks create") + "\nwait", printed)
        return printed

    def _block(self, words: str) -> str:
        [code] = [block.code for block in self.blocks if block.language == "sh" and words in block.code]
        return code

    @property
    def said(self) -> str:
        return self._log.read_text(encoding="utf-8")

    @property
    def address(self) -> str:
        return self._environment["STEWARD_URL"]

    @property
    def login(self) -> tuple[str, str]:
        found = re.search(r"Log in as (\S+) with the password (\S+)", self.said)
        assert found is not None
        return found[1], found[2]

    def leave(self) -> None:
        for process in reversed(self._started):
            if process.poll() is None:
                os.killpg(process.pid, 15)
        for process in self._started:
            process.wait(limit(60))
        remove_cluster(self.clone / "data")


@pytest.fixture
def newcomer(tmp_path: Path) -> Iterator[Newcomer]:
    if missing := [program for program in ("bash", "git", "make") if shutil.which(program) is None]:
        pytest.skip(f"not installed: apt-get install {' '.join(missing)}")
    person = Newcomer(tmp_path)
    try:
        yield person
    finally:
        person.leave()


@pytest.fixture
def page() -> Iterator[BrowserPage]:
    with launched() as browser:
        yield browser.new_page()


def test_from_a_clone_to_a_delivered_webhook_and_a_completed_order(
    newcomer: Newcomer, page: BrowserPage
) -> None:
    newcomer.start_service()
    printed = newcomer.follow_second_terminal()

    def told_of(event: str) -> bool:
        return f"{event} Tap drips in 2.14" in printed.read_text(encoding="utf-8")

    wait_for("the delivery of the new order", lambda: told_of("workorder.created"), 60)
    email, password = newcomer.login
    page.goto(f"{newcomer.address}/app")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Work orders").click()
    page.get_by_role("link", name="Tap drips in 2.14").first.click()
    page.get_by_role("button", name="Start", exact=True).click()
    wait_for("the delivery of the start", lambda: told_of("workorder.status.changed"), 60)
    page.get_by_role("button", name="Complete", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("Completed")
    wait_for("the delivery of the completion", lambda: told_of("workorder.completed"), 60)
