"""Names that Slack's events do not tell, asked for at a local server that speaks like Slack."""

import hashlib
import hmac
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.triggers.hosting import hosting, node, trigger

from toolweave.access.secret_text import SecretTexts
from toolweave.access.webhook_signatures import WebhookRequest
from toolweave.json_text import JsonObject
from toolweave.nodes.services.slack.names import SlackNames
from toolweave.resources.http import NodeHttpClient
from toolweave.triggers.service import Triggers

pytestmark = pytest.mark.anyio

TOKEN = "xoxb-of-the-test"
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@contextmanager
def slack_api() -> Generator[tuple[str, list[str]]]:
    """Where it is, and what it was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            query = parse_qs(urlsplit(self.path).query)
            known = {"channel": "C1", "user": "U1"}
            kind = next(iter(query))
            body: JsonObject = {"ok": False, "error": f"{kind}_not_found"}
            if self.headers["Authorization"] != f"Bearer {TOKEN}":
                body = {"ok": False, "error": "invalid_auth"}
            elif query[kind] == [known[kind]]:
                names = {"channel": "support", "user": "ada"}
                body = {"ok": True, kind: {"id": known[kind], "name": names[kind]}}
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/api", asked
        finally:
            server.shutdown()
            thread.join()


async def test_channels_are_chosen_by_name_and_names_are_asked_for_once(tmp_path: Path) -> None:
    async with hosting(tmp_path / "home") as host:
        await host.home.vault.put("bot", TOKEN)
        await host.home.vault.put("slack-signing-secret", "a-secret")
        http = NodeHttpClient(SecretTexts(host.home.vault, host.home.masker), allow_private=True)
        with slack_api() as (api, asked):
            names = SlackNames(http, host.clock, api=api)
            triggers = Triggers(host.home, host.engine, slack_names=names)
            for name, channel in (("Mine", "#support"), ("Other", "random")):
                when = trigger(
                    "SLACK",
                    workspace_id="T1",
                    events=["message"],
                    channels=[channel],
                    bot_token="${vault:bot}",
                )
                await host.enable(name, when, node("end"))
            for number in range(2):
                delivered = await triggers.deliver(signed(number))
                assert len(delivered.runs) == 1
            await http.aclose()
        told = [(one["channel_name"], one["user_name"]) for one in await host.inputs()]
        assert told == [("support", "ada")] * 2
    assert sorted(asked) == [
        "/api/conversations.info?channel=C1",
        "/api/users.info?user=U1",
    ]


async def test_a_name_that_cannot_be_had_is_empty(tmp_path: Path) -> None:
    async with hosting(tmp_path / "home") as host:
        http = NodeHttpClient(SecretTexts(host.home.vault, host.home.masker), allow_private=True)
        with slack_api() as (api, asked):
            names = SlackNames(http, host.clock, api=api)
            assert await names.name("channel", "C1", TOKEN) == "support"
            assert await names.name("channel", "C2", TOKEN) == ""
            assert await names.name("user", "U1", "wrong") == ""
            assert await names.name("user", "", TOKEN) == ""
            assert len(asked) == 3
        # Nobody listens there any more: what is known stays known, for an hour.
        assert await names.name("channel", "C1", TOKEN) == "support"
        await host.clock.advance(3601)
        assert await names.name("channel", "C1", TOKEN) == ""
        await http.aclose()


def signed(number: int) -> WebhookRequest:
    """A message as Slack sends it."""
    event = {"type": "message", "channel": "C1", "user": "U1", "text": "hi", "ts": "1.2"}
    whole = {"team_id": "T1", "event_id": f"Ev{number}", "event": event}
    body, stamp = json.dumps(whole).encode(), str(int(NOW.timestamp()))
    digest = hmac.new(b"a-secret", f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    headers = {
        "content-type": "application/json",
        "x-slack-request-timestamp": stamp,
        "x-slack-signature": f"v0={digest}",
    }
    return WebhookRequest("POST", "/slack", NOW, headers, {}, body)
