"""The manifests hold to Kubernetes' own schemas and to its strictest rules for pods; what they refer to exists."""

from typing import Any

import kubernetes_validate
import pytest
import yaml
from tests.support.deploy_files import KUBERNETES, manifest, manifests, pods

from steward.settings import SETTINGS, from_environment
from steward.wiring.routes import api_document

DEPLOYMENTS = [one["metadata"]["name"] for one in manifests() if one["kind"] == "Deployment"]


def _containers() -> list[dict[str, Any]]:
    return [container for pod in pods() for container in pod["spec"]["containers"]]


@pytest.mark.parametrize("document", manifests(), ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_every_document_keeps_to_the_schema(document: dict[str, Any]) -> None:
    kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


def test_a_wrong_document_fails_the_check() -> None:
    wrong = manifest("Deployment", "steward-api")
    wrong["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, kubernetes_validate.latest_version(), strict=True)


def test_all_files_are_applied_but_the_optional_ones() -> None:
    applied = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]
    there = {file.name for file in KUBERNETES.glob("*.yaml")}
    assert there - set(applied) == {"kustomization.yaml", "secret.example.yaml", "autoscaling.yaml"}
    assert set(applied) <= there


@pytest.mark.parametrize("pod", pods(), ids=lambda pod: pod["spec"]["containers"][0]["name"])
class TestEveryPod:
    def test_it_is_restricted(self, pod: dict[str, Any]) -> None:
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in spec["containers"]:
            own = container["securityContext"]
            assert own["allowPrivilegeEscalation"] is False
            assert own["readOnlyRootFilesystem"] is True
            assert own["capabilities"] == {"drop": ["ALL"]}

    def test_kubernetes_adds_no_variables_of_its_own(self, pod: dict[str, Any]) -> None:
        """A service called steward-api would become STEWARD_API_PORT, which stops the start."""
        assert pod["spec"]["enableServiceLinks"] is False

    def test_its_settings_and_secrets_are_declared(self, pod: dict[str, Any]) -> None:
        for container in pod["spec"]["containers"]:
            config, secret = container["envFrom"]
            assert manifest("ConfigMap", config["configMapRef"]["name"])
            assert manifest("Secret", secret["secretRef"]["name"])

    def test_each_container_requests_and_limits_memory(self, pod: dict[str, Any]) -> None:
        for container in pod["spec"]["containers"]:
            assert set(container["resources"]["requests"]) == {"cpu", "memory"}
            assert "memory" in container["resources"]["limits"]


def test_every_variable_is_a_setting() -> None:
    known = {setting.variable for setting in SETTINGS}
    given = set(manifest("ConfigMap", "steward-settings")["data"])
    given |= set(manifest("Secret", "steward-secrets")["stringData"])
    given |= {one["name"] for container in _containers() for one in container.get("env", [])}
    assert given <= known
    from_environment(manifest("ConfigMap", "steward-settings")["data"])


def test_probes_use_existing_paths() -> None:
    asked = {
        probe["httpGet"]["path"]
        for container in _containers()
        for name, probe in container.items()
        if name.endswith("Probe")
    }
    assert asked == {"/health/live", "/metrics"}
    assert "/health/live" in api_document()["paths"]


def test_probes_and_rules_use_existing_ports() -> None:
    for container in _containers():
        named = {port["name"] for port in container.get("ports", [])}
        probed = {probe["httpGet"]["port"] for name, probe in container.items() if name.endswith("Probe")}
        assert probed <= named
    [service] = [one for one in manifests() if one["kind"] == "Service"]
    [port] = service["spec"]["ports"]
    assert port["targetPort"] == "http"
    backend = manifest("Ingress", "steward")["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": service["metadata"]["name"], "port": {"name": port["name"]}}


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_labels_select_the_pods_that_are_meant(name: str) -> None:
    spec = manifest("Deployment", name)["spec"]
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_there_is_time_to_stop(name: str) -> None:
    pod = manifest("Deployment", name)["spec"]["template"]["spec"]
    own = {one["name"]: one["value"] for one in pod["containers"][0].get("env", [])}
    settings = from_environment(own)
    assert settings.shutdown_seconds < pod["terminationGracePeriodSeconds"]
    # A process takes a third of the time at most for callers that don't know yet.
    assert settings.drain_seconds <= settings.shutdown_seconds / 3


def test_a_new_version_comes_without_a_pause() -> None:
    spec = manifest("Deployment", "steward-api")["spec"]
    assert spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert spec["replicas"] >= 2
    probe = spec["template"]["spec"]["containers"][0]["readinessProbe"]
    drain = next(
        int(one["value"])
        for one in spec["template"]["spec"]["containers"][0]["env"]
        if one["name"] == "STEWARD_DRAIN_SECONDS"
    )
    assert probe["periodSeconds"] * probe["failureThreshold"] < drain
