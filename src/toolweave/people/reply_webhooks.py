"""Replies that services post to us: proven first, then taken in, then answered as they expect."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from toolweave.access import webhook_signatures as proving
from toolweave.access.secret_destinations import HERE
from toolweave.access.secret_text import SecretTexts
from toolweave.access.webhook_signatures import WebhookRequest, parse_body
from toolweave.errors import Denied, Invalid, NotFound, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import LATE
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.services.discord import messages as _discord
from toolweave.nodes.services.slack import messages as _slack
from toolweave.nodes.services.telegram import messages as _telegram
from toolweave.people.replies import UNCOUNTED, Replies, Taken

NOTED = "Noted, thank you."


@dataclass(frozen=True, slots=True)
class _Way:
    secret: str
    proof: Callable[[WebhookRequest, str], str | None]


WAYS: Mapping[str, _Way] = {
    "slack": _Way("slack-signing-secret", proving.slack_signature),
    "discord": _Way("discord-public-key", proving.discord_signature),
    "telegram": _Way("telegram-webhook-secret", proving.telegram_token),
    "generic": _Way("people-webhook-token", proving.timed_signature),
}


class ReplyPosts:
    """The door for posted replies, without HTTP."""

    def __init__(self, replies: Replies, secrets: SecretTexts) -> None:
        self._replies = replies
        self._secrets = secrets

    async def deliver(self, channel: str, arrival: WebhookRequest) -> JsonObject:
        """Accept a delivery; return the response the service expects. Raises `HOOK_DENIED`."""
        way = WAYS.get(channel)
        if way is None:
            raise NotFound("HOOK_NOT_FOUND", f"no replies are accepted at {channel[:40]!r}")
        if await self._reason(way, arrival) is not None:
            raise Denied("HOOK_DENIED", "the request is not authenticated")
        body = parse_body(arrival)
        match channel:
            case "slack":
                return await self._slack(body)
            case "discord":
                return await self._discord(body)
            case "telegram":
                return await self._telegram(body)
            case _:
                return await self._generic(body, arrival)

    async def _reason(self, way: _Way, arrival: WebhookRequest) -> str | None:
        try:
            filled = await self._secrets.fill({"secret": f"${{vault:{way.secret}}}"}, HERE)
        except ToolweaveError as error:
            return error.code
        return way.proof(arrival, filled.texts["secret"])

    async def _slack(self, body: Json) -> JsonObject:
        if isinstance(body, dict) and body.get("type") == "url_verification":
            return {"challenge": body.get("challenge")}
        for heard in _slack.delivered(body):
            await self._replies.polite(*await self._replies.take(heard))
        return {}

    async def _discord(self, body: Json) -> JsonObject:
        if isinstance(body, dict) and body.get("type") == _discord.PING:
            return {"type": _discord.PING}
        words = "This button is not known here."
        for heard in _discord.delivered(body):
            words = _words((await self._replies.take(heard))[0])
        # To the one who pressed alone.
        return {"type": 4, "data": {"content": words, "flags": 64}}

    async def _telegram(self, body: Json) -> JsonObject:
        heard = _telegram.delivered(body)
        if heard is None:
            return {}
        taken, found = await self._replies.take(heard)
        query = body.get("callback_query") if isinstance(body, dict) else None
        if isinstance(query, dict):
            told: JsonObject = {"callback_query_id": query.get("id"), "text": _words(taken)}
            return {"method": "answerCallbackQuery", **told}
        await self._replies.polite(taken, found)
        return {}

    async def _generic(self, body: Json, arrival: WebhookRequest) -> JsonObject:
        """`{"question": ID, "reply": …, "by": WHO}`, from whatever somebody connects."""
        if not isinstance(body, dict) or not isinstance(question := body.get("question"), str):
            hint = 'post {"question": "…", "reply": "yes", "by": "ada"}'
            raise Invalid("REQUEST_INVALID", "'question' is missing", hint=hint)
        who = str(body.get("by") or "")
        same = hashlib.sha256(arrival.headers.get(proving.TIMESTAMP, "").encode() + arrival.body)
        found = await self._replies.questions.get(question)
        reply = body.get("reply")
        heard = IncomingReply(found.question.channel, f"g:{same.hexdigest()}", who, reply, found.id)
        return {"taken": (await self._replies.take(heard))[0]}


def _words(taken: Taken) -> str:
    return LATE if taken == "nobody asked" else UNCOUNTED.get(taken, NOTED)
