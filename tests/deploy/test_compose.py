"""The compose file fits together: what it refers to exists, and what it gives the service are settings of ours."""

import subprocess
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from tests.support.deploy_files import COMPOSE, compose, our_services

from steward.settings import from_environment
from steward.supervisor.data_dir import secret_keys

SERVICES: dict[str, dict[str, Any]] = compose()["services"]


def _seconds(text: str) -> int:
    assert text.endswith("s")
    return int(text[:-1])


@pytest.mark.parametrize("name", SERVICES)
class TestEveryService:
    def test_its_image_is_pinned(self, name: str) -> None:
        tag = SERVICES[name]["image"].partition(":")[2]
        assert tag.count(".") >= 1
        assert "latest" not in tag

    def test_services_depend_on_existing_services_only(self, name: str) -> None:
        for other, how in SERVICES[name].get("depends_on", {}).items():
            assert other in SERVICES
            if how["condition"] == "service_healthy":
                assert "test" in SERVICES[other]["healthcheck"]
            else:
                assert how["condition"] == "service_completed_successfully"
                assert SERVICES[other]["restart"] == "on-failure:5", "otherwise it would never be over"

    def test_its_networks_volumes_and_secrets_are_declared(self, name: str) -> None:
        whole, service = compose(), SERVICES[name]
        assert set(service["networks"]) <= set(whole["networks"])
        assert set(service.get("secrets", [])) <= set(whole["secrets"])
        volumes = [volume.split(":")[0] for volume in service.get("volumes", [])]
        files = [volume for volume in volumes if volume.startswith("./")]
        assert set(volumes) - set(files) <= set(whole["volumes"])
        assert [file for file in files if not (COMPOSE.parent / file).exists()] == []

    def test_each_service_has_few_privileges(self, name: str) -> None:
        service = SERVICES[name]
        assert service["cap_drop"] == ["ALL"]
        assert service["read_only"] is True
        assert service["security_opt"] == ["no-new-privileges:true"]

    def test_each_service_has_a_health_check_unless_it_ends(self, name: str) -> None:
        check = SERVICES[name]["healthcheck"]
        if check == {"disable": True}:
            assert SERVICES[name]["restart"] == "on-failure:5"
        else:
            assert check["test"][0] == "CMD", "there need not be a shell"


@pytest.mark.parametrize("name", our_services())
def test_variables_of_our_services_are_settings(name: str) -> None:
    service = our_services()[name]
    settings = from_environment(service["environment"])
    assert settings.shutdown_seconds < _seconds(service["stop_grace_period"])
    assert settings.database_url == "postgresql://steward@postgres:5432/steward", "without a password"
    subnet = compose()["networks"]["edge"]["ipam"]["config"][0]["subnet"]
    assert [str(network) for network in settings.trusted_proxies] == [subnet]


def test_only_the_proxy_is_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["caddy"]
    assert compose()["networks"]["data"]["internal"] is True
    assert SERVICES["postgres"]["networks"] == ["data"]
    in_the_edge = {name for name, service in SERVICES.items() if "edge" in service["networks"]}
    assert in_the_edge == {"caddy", "api-1", "api-2"}, "every sender is trusted about addresses"


def test_the_proxy_knows_every_api() -> None:
    text = (COMPOSE.parent / "Caddyfile").read_text(encoding="utf-8")
    apis = [name for name, service in our_services().items() if service["command"] == ["api"]]
    assert len(apis) == 2
    assert f"reverse_proxy {' '.join(f'{name}:8000' for name in apis)} {{" in text


def test_secrets_are_made_once_and_can_be_used(tmp_path: Path) -> None:
    script = tmp_path / "make-secrets"
    copyfile(COMPOSE.parent / "make-secrets", script)

    def run() -> dict[str, str]:
        subprocess.run(["sh", script], check=True, capture_output=True, text=True)
        return {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "secrets").iterdir()}

    made = run()
    assert set(made) == set(compose()["secrets"])
    assert made["pgpass"] == f"postgres:5432:*:steward:{made['postgres-password']}\n"
    assert len(made["postgres-password"]) > 30
    # Nobody else may open them, or neither the driver nor Steward would.
    assert [
        oct((tmp_path / "secrets" / name).stat().st_mode & 0o077) for name in ("pgpass", "secret.key")
    ] == [
        "0o0",
        "0o0",
    ]
    (key,) = secret_keys(from_environment({"STEWARD_DATA_DIR": str(tmp_path / "secrets")}))
    assert len(key) == 32
    assert run() == made, "a second run changes nothing"


def test_the_database_is_healthy_once_it_can_be_reached() -> None:
    """Over the socket the image's temporary server answers, too, which ends before the real one starts."""
    assert "--host=127.0.0.1" in SERVICES["postgres"]["healthcheck"]["test"]
