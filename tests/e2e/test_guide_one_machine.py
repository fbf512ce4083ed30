"""docs/operate/one-machine.md, followed from top to bottom."""

import re
import shutil

import httpx
import pytest
from tests.support.launching import remove_cluster
from tests.support.machine import Machine, blocks_for
from tests.support.ports import free_port
from tests.support.waiting import limit, wait_for

pytestmark = pytest.mark.long

PAGE = "docs/operate/one-machine.md"
BACKUP_PAGE = "docs/operate/backup-and-restore.md"


def test_a_machine_is_set_up_as_the_page_says() -> None:
    if missing := [name for name in ("curl", "openssl") if shutil.which(name) is None]:
        pytest.skip(f"not installed: apt-get install {' '.join(missing)}")
    port = str(free_port())
    install, is_ready, organization, day_by_day = blocks_for(PAGE, "e2e/test_guide_one_machine.py")
    with Machine({"8000": port}, STEWARD_PORT=port, STEWARD_METRICS_ADDRESS="off") as machine:
        try:
            machine.follow(install)
            assert '{"status":"ready"}' in machine.follow(is_ready)
            said = machine.follow(organization)
            [key] = re.findall(r"API key +(\S+)", said)
            [path] = re.findall(r"organization +(\S+)", said)
            password = said.splitlines()[0]
            base_url = f"http://127.0.0.1:{port}"
            listed = httpx.get(
                f"{base_url}/organizations/{path}/assets", headers={"X-API-Key": key}, timeout=limit(60)
            )
            assert listed.status_code == 200
            login = {"email": "ada@example.com", "password": password}
            entered = httpx.post(
                f"{base_url}/app/login", data=login, headers={"Origin": base_url}, timeout=limit(60)
            )
            assert entered.status_code == 303, entered.text
            # Only a proxy on the same machine is believed about callers: that is what the file says.
            assert machine.settings()["STEWARD_TRUSTED_PROXIES"] == "127.0.0.1"
            [every_night] = blocks_for(BACKUP_PAGE, "e2e/test_guide_one_machine.py")
            machine.follow(every_night)
            [backup] = (machine.root / "var/backups/steward").iterdir()
            assert backup.suffix == ".backup"
            machine.follow(day_by_day)
            wait_for("the end of the port", lambda: not _answers(base_url))
            log = (machine.root / "log/steward.log").read_text(encoding="utf-8")
            assert "Traceback" not in log
        finally:
            remove_cluster(machine.root / "var/lib/steward")


def _answers(base_url: str) -> bool:
    try:
        return httpx.get(f"{base_url}/health/live", timeout=limit(60)).status_code == 200
    except httpx.TransportError:
        return False
