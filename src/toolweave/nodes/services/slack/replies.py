"""Replies in Slack: from its interactivity and events, or read from a thread."""

from collections.abc import Iterator

from toolweave import json_text
from toolweave.catalog.node import NodeContext
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import pressed
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.services._client import calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.slack.api import SLACK


def delivered(body: Json) -> Iterator[IncomingReply]:
    """What Slack posts: a form with a `payload`, or an event."""
    if not isinstance(body, dict):
        return
    payload = body.get("payload")
    if isinstance(payload, str):
        try:
            yield from _pressed(json_text.read(payload))
        except Invalid:
            return
        return
    event = body.get("event")
    if isinstance(event, dict) and event.get("type") == "message":
        heard = _said(event, str(event.get("channel")))
        if heard is not None:
            yield heard


async def looked_up(context: NodeContext, thread: JsonObject) -> list[IncomingReply]:
    """What was said below a question, or after it in its channel."""
    slack = await calling(context, SLACK, str(thread.get("credential") or ""))
    channel, ts = str(thread["channel"]), str(thread["ts"])
    in_thread = thread.get("in_thread") is not False
    path = "/conversations.replies" if in_thread else "/conversations.history"
    asked = (("ts", ts),) if in_thread else (("oldest", ts),)
    query = (("channel", channel), *asked, ("limit", "200"))
    told = (await slack.send(path.strip("/"), ServiceCall("GET", path, query))).record
    messages = told.get("messages")
    found = messages if isinstance(messages, list) else []
    said = [_said(one, channel) for one in found if isinstance(one, dict) and one.get("ts") != ts]
    return [one for one in said if one is not None]


async def say(context: NodeContext, thread: JsonObject, text: str) -> None:
    """Say something below a question."""
    slack = await calling(context, SLACK, str(thread.get("credential") or ""))
    body: JsonObject = {"channel": thread["channel"], "text": text, "thread_ts": thread["ts"]}
    await slack.send("chat.postMessage", ServiceCall("POST", "/chat.postMessage", body=body))


def _pressed(payload: Json) -> Iterator[IncomingReply]:
    if not isinstance(payload, dict):
        return
    user, actions = payload.get("user"), payload.get("actions")
    who = str(user.get("id")) if isinstance(user, dict) else ""
    for action in actions if isinstance(actions, list) else []:
        if isinstance(action, dict) and (button := pressed(action.get("value"))) and who:
            key = f"{button.question}:{who}:{action.get('action_ts')}"
            yield IncomingReply("slack", key, who, button.reply, button.question)


def _said(message: JsonObject, channel: str) -> IncomingReply | None:
    """A message of a person; bots, ourselves among them, answer nothing."""
    who, text, ts = message.get("user"), message.get("text"), message.get("ts")
    if "bot_id" in message or "subtype" in message or not isinstance(who, str):
        return None
    if not isinstance(text, str) or not isinstance(ts, str):
        return None
    below = message.get("thread_ts")
    place: JsonObject = {"channel": channel}
    if isinstance(below, str):
        place["ts"] = below
    is_loose = "ts" not in place
    return IncomingReply("slack", f"{channel}:{ts}", who, {"text": text}, None, place, is_loose)
