"""Questions in Slack: a message with two buttons; replies come in its thread."""

import re
from dataclasses import dataclass

from toolweave.catalog.node import NodeContext
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import (
    LABELS,
    THANKS,
    addressed,
    carried,
    kept_credential,
)
from toolweave.nodes.human._question import Nudge, Port
from toolweave.nodes.services._client import ServiceClient, ServiceResponse, calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.slack.api import SLACK, channel_id
from toolweave.workflow.question import Question

MAX_SECTION = 2_900
_USER = re.compile(r"@?([UW][A-Z0-9]{5,20})")


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
        said = (await _post(slack, body)).record
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
        slack = await calling(context, SLACK, self.token, prefers_oauth=self.prefers_oauth)
        await _post(slack, {"channel": thread["channel"], "text": text, "thread_ts": thread["ts"]})


async def _post(slack: ServiceClient, body: JsonObject) -> ServiceResponse:
    return await slack.send("chat.postMessage", ServiceCall("POST", "/chat.postMessage", body=body))


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
