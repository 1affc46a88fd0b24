"""Who may call a hook."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from toolweave.access import webhook_signatures as proving
from toolweave.access.webhook_signatures import WebhookRequest

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
STAMP = str(int(NOW.timestamp()))
LATE = str(int(NOW.timestamp()) - 301)
SECRET = "a-secret-of-the-test"
BODY = b'{"order": 7}'
DISCORD_KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)


def signed(data: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), data, hashlib.sha256).hexdigest()


def arrival(
    headers: dict[str, str] | None = None,
    query: dict[str, str] | None = None,
    body: bytes = BODY,
) -> WebhookRequest:
    return WebhookRequest("POST", "/x", NOW, headers or {}, query or {}, body)


@pytest.mark.parametrize(
    ("headers", "is_proven"),
    [
        ({"authorization": f"Bearer {SECRET}"}, True),
        ({"x-webhook-token": SECRET}, True),
        ({"x-auth-token": SECRET}, True),
        ({"x-api-key": SECRET}, True),
        ({"authorization": f"Basic {SECRET}"}, False),
        ({"authorization": "Bearer other"}, False),
        ({"x-webhook-token": "ünlike"}, False),
        ({}, False),
    ],
)
def test_a_token_in_a_header_proves_if_it_is_the_same(
    headers: dict[str, str], is_proven: bool
) -> None:
    assert (proving.header_token(arrival(headers), SECRET) is None) == is_proven


def test_a_token_in_the_query_proves_if_it_is_the_same() -> None:
    assert proving.query_token(arrival(query={"token": SECRET}), SECRET) is None
    assert proving.query_token(arrival(query={"token": "other"}), SECRET)
    assert proving.query_token(arrival(), SECRET)


def test_an_empty_secret_proves_nothing() -> None:
    given = arrival({"authorization": "Bearer ", "x-webhook-token": ""}, {"token": ""})
    assert proving.header_token(given, "")
    assert proving.query_token(given, "")


@pytest.mark.parametrize(
    ("stamp", "data", "is_proven"),
    [
        (STAMP, BODY, True),
        (LATE, BODY, False),
        (str(int(STAMP) + 301), BODY, False),
        ("", BODY, False),
        ("9" * 40, BODY, False),
        (STAMP, b'{"order": 8}', False),
    ],
)
def test_a_signature_holds_for_its_body_and_for_five_minutes(
    stamp: str, data: bytes, is_proven: bool
) -> None:
    signature = signed(stamp.encode() + b"." + BODY)
    given = arrival({"x-signature": f"sha256={signature}", "x-timestamp": stamp}, body=data)
    assert (proving.signature(given, SECRET) is None) == is_proven


@pytest.mark.parametrize("secret", [SECRET, "whsec_" + base64.b64encode(b"binary").decode()])
def test_standard_webhooks_are_understood(secret: str) -> None:
    key = b"binary" if secret.startswith("whsec_") else secret.encode()
    digest = hmac.new(key, f"msg_1.{STAMP}.".encode() + BODY, hashlib.sha256).digest()
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": STAMP,
        "webhook-signature": f"v1,b2xk v1,{base64.b64encode(digest).decode()}",
    }
    assert proving.signature(arrival(headers), secret) is None
    assert proving.signature(arrival(headers | {"webhook-id": "msg_2"}), secret)
    assert proving.signature(arrival(headers | {"webhook-timestamp": LATE}), secret)


def test_githubs_signature_is_of_the_body() -> None:
    # The example of GitHub's own documentation.
    secret, body = "It's a Secret to Everybody", b"Hello, World!"
    header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    given = arrival({"x-hub-signature-256": header}, body=body)
    assert proving.github_signature(given, secret) is None
    assert proving.signature(given, secret) is None
    assert proving.github_signature(given, "other")
    assert proving.github_signature(arrival(body=body), secret)


def test_slacks_signature_is_of_time_and_body() -> None:
    # The example of Slack's own documentation.
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
        b"&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
        b"&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com"
        b"%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
        b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    headers = {
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": (
            "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
        ),
    }
    then = datetime.fromtimestamp(1531420620, UTC)
    given = WebhookRequest("POST", "/slack", then, headers, {}, body)
    secret = "8f742231b10e8888abcd99yyyzzz85a5"
    assert proving.slack_signature(given, secret) is None
    assert proving.slack_signature(WebhookRequest("POST", "/slack", NOW, headers, {}, body), secret)
    assert proving.slack_signature(given, "other")


def signed_at(way: str, stamp: str) -> str | None:
    """The verdict on a request with a right signature of `stamp`."""
    moment = stamp.encode()
    match way:
        case "standard":
            digest = hmac.digest(SECRET.encode(), b"msg_1." + moment + b"." + BODY, hashlib.sha256)
            proof = f"v1,{base64.b64encode(digest).decode()}"
            identity, moment_name, proof_name = proving.STANDARD
            headers = {identity: "msg_1", moment_name: stamp, proof_name: proof}
            return proving.signature(arrival(headers), SECRET)
        case "slack":
            proof = f"v0={signed(b'v0:' + moment + b':' + BODY)}"
            headers = {proving.SLACK_TIMESTAMP: stamp, proving.SLACK_SIGNATURE: proof}
            return proving.slack_signature(arrival(headers), SECRET)
        case "discord":
            proof = DISCORD_KEY.sign(moment + BODY).hex()
            headers = {proving.DISCORD_TIMESTAMP: stamp, proving.DISCORD_SIGNATURE: proof}
            public = DISCORD_KEY.public_key().public_bytes_raw().hex()
            return proving.discord_signature(arrival(headers), public)
        case _:
            proof = f"sha256={signed(moment + b'.' + BODY)}"
            headers = {proving.TIMESTAMP: stamp, proving.SIGNATURE: proof}
            return proving.timed_signature(arrival(headers), SECRET)


@pytest.mark.parametrize("way", ["standard", "slack", "discord", "timed"])
def test_a_right_signature_of_another_time_proves_nothing(way: str) -> None:
    assert signed_at(way, STAMP) is None  # the positive control
    for stamp in (LATE, str(int(STAMP) + 301), "", "9" * 40):
        reason = signed_at(way, stamp)
        assert reason is not None
        assert "timestamp" in reason
