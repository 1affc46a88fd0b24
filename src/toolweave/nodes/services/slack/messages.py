"""Questions in Slack and the replies to them, posted by Slack or read from a thread."""

from collections.abc import Iterator
from dataclasses import dataclass

from toolweave import json_text
from toolweave.catalog.node import NodeContext
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import (
    LABELS,
    THANKS,
    addressed,
    carried,
    kept_credential,
    pressed,
)
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.human._question import Nudge, Port
from toolweave.nodes.services._client import calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.slack.api import SLACK, channel_id
from toolweave.patterns import pattern
from toolweave.workflow.question import Question

MAX_SECTION = 2_900
_USER = pattern(r"@?([UW][A-Z0-9]{5,20})")


@dataclass(frozen=True, slots=True)
class SlackMessages:
    """Asks as one bot in one channel."""

    channel: str
    token: str
    prefers_oauth: bool
    mention: str = ""
    in_thread: bool = True

    async def ask(self, context: NodeContext, question: Question) -> JsonObject | None:
        """Post the question; where it stands."""
        slack = await calling(context, SLACK, self.token, prefers_oauth=self.prefers_oauth)
        where = self.channel
        if where.startswith("@"):
            where = await channel_id(slack, where)
        named = _USER.fullmatch(self.mention)
        text = addressed(f"<@{named[1]}>" if named else self.mention, question.text)
        body: JsonObject = {"channel": where, "text": text, "blocks": _blocks(question, text)}
        said = (await slack.send("chat.postMessage", _post(body))).record
        return {
            "channel": said.get("channel", where),
            "ts": said.get("ts"),
            "credential": kept_credential(self.token),
            "in_thread": self.in_thread,
        }

    async def nudge(self, context: NodeContext, thread: JsonObject, nudge: Nudge) -> None:
        """Remind in the thread."""
        await self._say(context, thread, nudge.text)

    async def tell(self, context: NodeContext, thread: JsonObject, port: Port, reply: Json) -> None:
        """Say in the thread what came of it."""
        await self._say(context, thread, str(THANKS[port]))

    async def _say(self, context: NodeContext, thread: JsonObject, text: str) -> None:
        await say(context, thread, text, self.token, prefers_oauth=self.prefers_oauth)


def _blocks(question: Question, text: str) -> list[Json]:
    buttons: list[Json] = [
        {
            "type": "button",
            "action_id": f"toolweave_{port}",
            "text": {"type": "plain_text", "text": label},
            "value": carried(question.id, port),
            "style": "primary" if port == "confirmed" else "danger",
        }
        for port, label in LABELS.items()
    ]
    section: JsonObject = {
        "type": "section",
        "text": {"type": "mrkdwn", "text": text[:MAX_SECTION]},
    }
    return [section, {"type": "actions", "block_id": question.id, "elements": buttons}]


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


async def say(
    context: NodeContext,
    thread: JsonObject,
    text: str,
    token: str | None = None,
    *,
    prefers_oauth: bool = False,
) -> None:
    """Post in the thread of a question, with its stored credential unless `token` is given."""
    credential = str(thread.get("credential") or "") if token is None else token
    slack = await calling(context, SLACK, credential, prefers_oauth=prefers_oauth)
    body: JsonObject = {"channel": thread["channel"], "text": text, "thread_ts": thread["ts"]}
    await slack.send("chat.postMessage", _post(body))


def _post(body: JsonObject) -> ServiceCall:
    return ServiceCall("POST", "/chat.postMessage", body=body)


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
