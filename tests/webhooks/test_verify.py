"""Our signatures and our verifier, held against the published libraries of Stripe and of Standard Webhooks."""

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
import standardwebhooks
import stripe
from hypothesis import given, settings
from hypothesis import strategies as st

from steward.webhooks import SignatureError, verify
from steward.webhooks.signing import new_secret, sign

SECRET = new_secret()
OLD = new_secret()
EVENT_ID = "evt_00064a1b2c3d4e5f60718293a4b5"
BODIES = st.dictionaries(st.text(max_size=8), st.text(max_size=20) | st.integers(), max_size=4).map(
    lambda value: json.dumps(value, ensure_ascii=False).encode()
)
BODY = '{"id":"evt_1","data":{"name":"Zoë, 東京"}}'.encode()

# From the tests of the Standard Webhooks libraries, where every language has the same.
PUBLISHED: dict[str, Any] = {
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "body": '{"test": 2432232314}',
    "headers": {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
}


def now() -> int:
    return int(time.time())


def ours_only(headers: dict[str, str]) -> dict[str, str]:
    return {"x-service-signature": headers["x-service-signature"]}


def standard_only(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.startswith("webhook-")}


FAMILIES = pytest.mark.parametrize("family", [ours_only, standard_only])


@given(BODIES)
@settings(max_examples=50)
def test_a_verifier_of_the_stripe_kind_accepts_what_we_sign(body: bytes) -> None:
    header = sign([SECRET, OLD], EVENT_ID, body, now())["x-service-signature"]
    for secret in (SECRET, OLD):
        assert stripe.WebhookSignature.verify_header(body.decode(), header, secret, tolerance=300)
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.WebhookSignature.verify_header(body.decode() + " ", header, SECRET, tolerance=300)
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.WebhookSignature.verify_header(body.decode(), header, new_secret(), tolerance=300)


@given(BODIES)
@settings(max_examples=50)
def test_a_verifier_of_standard_webhooks_accepts_what_we_sign(body: bytes) -> None:
    headers = sign([SECRET, OLD], EVENT_ID, body, now())
    for secret in (SECRET, OLD):
        assert standardwebhooks.Webhook(secret).verify(body, headers) == json.loads(body)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(SECRET).verify(body + b" ", headers)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(new_secret()).verify(body, headers)


@given(BODIES)
@settings(max_examples=50)
def test_our_verifier_accepts_what_the_libraries_sign(body: bytes) -> None:
    header = stripe.WebhookSignature.generate_signature_header(body.decode(), SECRET)
    assert verify(body, {"X-Service-Signature": header}, SECRET) == json.loads(body)
    moment = datetime.now(UTC)
    headers = {
        "Webhook-Id": EVENT_ID,
        "Webhook-Timestamp": str(int(moment.timestamp())),
        "Webhook-Signature": standardwebhooks.Webhook(SECRET).sign(EVENT_ID, moment, body.decode()),
    }
    assert verify(body, headers, SECRET) == json.loads(body)


def test_the_published_vector_is_valid_only_at_its_time() -> None:
    ages = now() - 1614265330 + 60
    found = verify(PUBLISHED["body"], PUBLISHED["headers"], PUBLISHED["secret"], tolerance=ages)
    assert found == {"test": 2432232314}
    with pytest.raises(SignatureError, match="seconds off"):
        verify(PUBLISHED["body"], PUBLISHED["headers"], PUBLISHED["secret"])


def test_we_sign_the_published_vector_as_published() -> None:
    headers = PUBLISHED["headers"]
    made = sign([PUBLISHED["secret"]], headers["webhook-id"], PUBLISHED["body"].encode(), 1614265330)
    assert standard_only(made) == headers


@FAMILIES
def test_either_family_of_headers_is_enough(family: Any) -> None:
    headers = family(sign([SECRET], EVENT_ID, BODY, now()))
    assert verify(BODY, headers, SECRET) == json.loads(BODY)
    assert verify(BODY.decode(), {name.upper(): value for name, value in headers.items()}, SECRET)


@FAMILIES
def test_old_and_new_secret_both_work_while_both_sign(family: Any) -> None:
    headers = family(sign([SECRET, OLD], EVENT_ID, BODY, now()))
    assert verify(BODY, headers, SECRET)
    assert verify(BODY, headers, OLD)
    only_old = family(sign([OLD], EVENT_ID, BODY, now()))
    assert verify(BODY, only_old, [SECRET, OLD])
    with pytest.raises(SignatureError):
        verify(BODY, only_old, SECRET)


@FAMILIES
@pytest.mark.parametrize("off", [-301, 301, -(10**6), 10**6])
def test_a_signature_from_another_time_is_refused_in_both_directions(family: Any, off: int) -> None:
    headers = family(sign([SECRET], EVENT_ID, BODY, now() + off))
    with pytest.raises(SignatureError, match="seconds off"):
        verify(BODY, headers, SECRET)
    assert verify(BODY, headers, SECRET, tolerance=abs(off) + 60)


@FAMILIES
@pytest.mark.parametrize("off", [-240, 240])
def test_clocks_may_differ_within_the_tolerance(family: Any, off: int) -> None:
    assert verify(BODY, family(sign([SECRET], EVENT_ID, BODY, now() + off)), SECRET)


@FAMILIES
def test_tampered_payloads_are_refused(family: Any) -> None:
    headers = family(sign([SECRET], EVENT_ID, BODY, now()))
    for body, secret in ((BODY + b" ", SECRET), (BODY[:-1], SECRET), (b"", SECRET), (BODY, OLD)):
        with pytest.raises(SignatureError, match="No signature fits"):
            verify(body, headers, secret)
    with pytest.raises(SignatureError):
        verify(BODY, headers, [])


def test_a_time_or_id_that_was_changed_on_the_way_is_refused() -> None:
    headers = sign([SECRET], EVENT_ID, BODY, now())
    moved = headers["x-service-signature"].replace(f"t={headers['webhook-timestamp']}", f"t={now() + 5}")
    for changed in (
        {"x-service-signature": moved},
        {**standard_only(headers), "webhook-timestamp": str(now() + 5)},
        {**standard_only(headers), "webhook-id": "evt_other"},
    ):
        with pytest.raises(SignatureError, match="No signature fits"):
            verify(BODY, changed, SECRET)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-service-signature": ""},
        {"x-service-signature": "t=1"},
        {"x-service-signature": "v1=00"},
        {"x-service-signature": "t=1,t=2,v1=00"},
        {"x-service-signature": "t=1,v1=é"},
        {"x-service-signature": "nonsense"},
        {"webhook-signature": "v1,AAAA"},
        {"webhook-signature": "v1,AAAA", "webhook-id": "evt_1"},
        {"webhook-signature": "", "webhook-id": "evt_1", "webhook-timestamp": "1"},
        {"webhook-signature": "v2,AAAA é", "webhook-id": "evt_1", "webhook-timestamp": "x"},
    ],
)
def test_headers_that_say_nothing_are_refused_with_the_one_error(headers: dict[str, str]) -> None:
    with pytest.raises(SignatureError):
        verify(BODY, headers, SECRET)


def test_signatures_of_unknown_schemes_are_skipped() -> None:
    headers = sign([SECRET], EVENT_ID, BODY, now())
    ours = {"x-service-signature": headers["x-service-signature"] + ",v2=abc,v0=def"}
    assert verify(BODY, ours, SECRET)
    later = {**standard_only(headers), "webhook-signature": "v1a,abc " + headers["webhook-signature"]}
    assert verify(BODY, later, SECRET)


def test_a_malformed_secret_is_named() -> None:
    with pytest.raises(SignatureError, match="base64"):
        verify(BODY, standard_only(sign([SECRET], EVENT_ID, BODY, now())), "whsec_not base64!")


@FAMILIES
@pytest.mark.parametrize("secret", ["", " ", "whsec_"])
def test_an_empty_secret_verifies_nothing(family: Any, secret: str) -> None:
    """That of a variable which isn't set: everybody knows it, so that anybody could sign with it."""
    headers = family(sign([secret.strip()], EVENT_ID, BODY, now()))
    for given_secret in (secret, [SECRET, secret]):
        with pytest.raises(ValueError, match="verify needs a secret"):
            verify(BODY, headers, given_secret)
