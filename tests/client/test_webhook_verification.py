"""Whether a delivery comes from Steward. The headers are those that the service makes."""

import json
import subprocess
import sys
import time

import pytest
from tests.support.records.webhooks import URL

from steward.webhooks.signing import new_secret, sign
from steward_client import Steward
from steward_client.webhooks import InvalidSignature, verify

BODY = json.dumps(
    {"id": "evt_1", "type": "workorder.created", "data": {"object": {"title": "Łódź"}}}
).encode()
SECRET = new_secret()
OURS = ("x-service-signature",)
STANDARD = ("webhook-id", "webhook-timestamp", "webhook-signature")


def _headers(*names: str, secrets: tuple[str, ...] = (SECRET,), at: int | None = None) -> dict[str, str]:
    made = sign(secrets, "evt_1", BODY, int(time.time()) if at is None else at)
    return {name.title(): value for name, value in made.items() if name in (names or made)}


@pytest.mark.parametrize("names", [OURS, STANDARD, ()], ids=["ours", "standard", "both"])
def test_signatures_of_the_service_are_valid(names: tuple[str, ...]) -> None:
    event = verify(BODY, _headers(*names), SECRET)
    assert event["data"]["object"]["title"] == "Łódź"
    assert verify(BODY.decode(), _headers(*names), ["whsec_b2xk", SECRET]) == event


@pytest.mark.parametrize("names", [OURS, STANDARD], ids=["ours", "standard"])
@pytest.mark.parametrize("secret", ["", " ", "whsec_"])
def test_an_empty_secret_verifies_nothing(names: tuple[str, ...], secret: str) -> None:
    """That of a variable which isn't set: everybody knows it, so that anybody could sign with it."""
    for given in (secret, [SECRET, secret]):
        with pytest.raises(ValueError, match="verify needs a secret"):
            verify(BODY, _headers(*names, secrets=(secret.strip(),)), given)
    with pytest.raises(InvalidSignature):
        verify(BODY, _headers(*names), [])


@pytest.mark.parametrize("names", [OURS, STANDARD], ids=["ours", "standard"])
@pytest.mark.parametrize("seconds", [-301, 301])
def test_readings_too_old_or_too_new_are_refused(names: tuple[str, ...], seconds: int) -> None:
    signed = 1_790_000_000
    headers = _headers(*names, at=signed)
    with pytest.raises(InvalidSignature, match="300 seconds"):
        verify(BODY, headers, SECRET, now=signed + seconds)
    assert verify(BODY, headers, SECRET, now=signed + seconds, tolerance=301)


@pytest.mark.parametrize("names", [OURS, STANDARD], ids=["ours", "standard"])
def test_changed_documents_are_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(InvalidSignature):
        verify(BODY + b" ", _headers(*names), SECRET)
    with pytest.raises(InvalidSignature):
        verify(BODY, _headers(*names), new_secret())
    moved = _headers(*names)
    moved = {
        name: value.replace("1", "2") if "id" in name.lower() else value for name, value in moved.items()
    }
    if names == STANDARD:
        with pytest.raises(InvalidSignature):
            verify(BODY, moved, SECRET)


@pytest.mark.parametrize("names", [OURS, STANDARD], ids=["ours", "standard"])
def test_either_of_two_secrets_works_during_a_rotation(names: tuple[str, ...]) -> None:
    old, new = new_secret(), new_secret()
    headers = _headers(*names, secrets=(new, old))
    assert verify(BODY, headers, old) == verify(BODY, headers, new)


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({}, "neither"),
        ({"X-Service-Signature": "v1=00"}, "one time"),
        ({"X-Service-Signature": ""}, "one time"),
        ({"X-Service-Signature": "t=1,t=2,v1=00"}, "one time"),
        ({"X-Service-Signature": "t=1"}, "No signature"),
        ({"X-Service-Signature": "t=1,v1=é"}, "No signature"),
        ({"Webhook-Signature": "v1,AA=="}, "webhook-id"),
        ({"Webhook-Signature": "v1,AA==", "Webhook-Id": "evt_1"}, "webhook-timestamp"),
        ({"Webhook-Signature": "v2,AA==", "Webhook-Id": "evt_1", "Webhook-Timestamp": "1"}, "No signature"),
    ],
)
def test_headers_that_cannot_be_read_are_refused(headers: dict[str, str], reason: str) -> None:
    with pytest.raises(InvalidSignature, match=reason):
        verify(BODY, headers, SECRET)


def test_a_malformed_secret_is_an_error_of_the_receiver() -> None:
    with pytest.raises(ValueError, match="base64") as raised:
        verify(BODY, _headers(*STANDARD), "whsec_!!")
    assert not isinstance(raised.value, InvalidSignature)


def test_the_secret_of_a_webhook_is_one_that_it_takes(steward: Steward) -> None:
    webhook = steward.webhooks.create(url=URL, events=["workorder.*"])
    for names in (OURS, STANDARD):
        assert verify(BODY, _headers(*names, secrets=(webhook.signing_secret,)), webhook.signing_secret)


def test_it_needs_nothing_but_python() -> None:
    program = "import sys, steward_client.webhooks; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "steward_client.webhooks" in loaded
    assert not {"httpx", "msgspec", "steward_client._async", "steward_client.models", "steward"} & set(loaded)
