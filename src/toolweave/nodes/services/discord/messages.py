"""Questions in Discord and the replies to them: buttons, messages and reactions."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from toolweave.catalog.node import NodeContext
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import LABELS, THANKS, addressed, carried, pressed
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.human._question import Nudge, Port
from toolweave.nodes.services._client import ServiceClient, calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.discord.api import DISCORD
from toolweave.workflow.question import Question

MAX_CONTENT = 2_000
# Kinds and styles of Discord's components.
_ROW, _BUTTON = 1, 2
_STYLES = {"confirmed": 3, "rejected": 4}


@dataclass(frozen=True, slots=True)
class DiscordMessages:
    """Asks as the bot of the credential `discord`."""

    server: str
    channel: str
    mention: str = ""

    async def ask(self, context: NodeContext, question: Question) -> JsonObject | None:
        """Post the question; where it stands."""
        discord = await calling(context, DISCORD, "")
        path = f"/channels/{quote(self.channel, safe='')}"
        found = (await discord.send("get channel", ServiceCall("GET", path))).record
        if str(found.get("guild_id")) != self.server:
            message = f"channel {self.channel!r} is not of server {self.server!r}"
            raise Invalid("DISCORD_CHANNEL_ELSEWHERE", message, hint="check both ids")
        buttons: list[Json] = [
            {
                "type": _BUTTON,
                "style": _STYLES[port],
                "label": label,
                "custom_id": carried(question.id, port),
            }
            for port, label in LABELS.items()
        ]
        body: JsonObject = {
            "content": addressed(self.mention, question.text)[:MAX_CONTENT],
            "components": [{"type": _ROW, "components": buttons}],
        }
        said = (
            await discord.send("send message", ServiceCall("POST", f"{path}/messages", body=body))
        ).record
        return {"channel": self.channel, "message": said.get("id"), "server": self.server}

    async def nudge(self, context: NodeContext, thread: JsonObject, nudge: Nudge) -> None:
        """Remind below the question."""
        await say(context, thread, nudge.text)

    async def tell(self, context: NodeContext, thread: JsonObject, port: Port, reply: Json) -> None:
        """Say below the question what came of it."""
        await say(context, thread, str(THANKS[port]))


PING, COMPONENT = 1, 3
_SIGNS = {"✅": "confirmed", "👍": "confirmed", "❌": "rejected", "👎": "rejected"}


def delivered(body: Json) -> Iterator[IncomingReply]:
    """What Discord posts when a button is pressed."""
    if not isinstance(body, dict) or body.get("type") != COMPONENT:
        return
    data, member = body.get("data"), body.get("member")
    user = member.get("user") if isinstance(member, dict) else body.get("user")
    button = pressed(data.get("custom_id")) if isinstance(data, dict) else None
    if button is not None and isinstance(user, dict) and "id" in user:
        who = str(user["id"])
        yield IncomingReply("discord", f"i:{body.get('id')}", who, button.reply, button.question)


async def looked_up(context: NodeContext, thread: JsonObject) -> list[IncomingReply]:
    """What was said after a question in its channel, and how people reacted to it."""
    discord = await calling(context, DISCORD, "")
    channel, message = str(thread["channel"]), str(thread["message"])
    path = f"/channels/{quote(channel, safe='')}/messages"
    query = (("after", message), ("limit", "100"))
    listed = (await discord.send("list messages", ServiceCall("GET", path, query))).value
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    # The newest comes first.
    said = [_said(one, channel) for one in reversed(found)]
    asked = (
        await discord.send("get message", ServiceCall("GET", f"{path}/{quote(message, safe='')}"))
    ).record
    signs = await _reactions(discord, asked, path, thread)
    return [*(one for one in said if one is not None), *signs]


async def say(context: NodeContext, thread: JsonObject, text: str) -> None:
    """Reply to the message of a question."""
    discord = await calling(context, DISCORD, "")
    refers: JsonObject = {"message_id": thread["message"], "fail_if_not_exists": False}
    path = f"/channels/{quote(str(thread['channel']), safe='')}/messages"
    body: JsonObject = {"content": text[:MAX_CONTENT], "message_reference": refers}
    await discord.send("send message", ServiceCall("POST", path, body=body))


async def _reactions(
    discord: ServiceClient, asked: JsonObject, path: str, thread: JsonObject
) -> list[IncomingReply]:
    message, channel = str(thread["message"]), str(thread["channel"])
    reactions = asked.get("reactions")
    found: list[IncomingReply] = []
    for reaction in reactions if isinstance(reactions, list) else []:
        emoji = reaction.get("emoji") if isinstance(reaction, dict) else None
        name = str(emoji.get("name")) if isinstance(emoji, dict) else ""
        if name not in _SIGNS:
            continue
        where = f"{path}/{quote(message, safe='')}/reactions/{quote(name, safe='')}"
        users = (await discord.send("get reactions", ServiceCall("GET", where))).value
        for user in users if isinstance(users, list) else []:
            if isinstance(user, dict) and not user.get("bot"):
                who = str(user.get("id"))
                place: JsonObject = {"channel": channel, "message": message}
                key = f"r:{message}:{name}:{who}"
                reply: JsonObject = {"answer": _SIGNS[name], "label": name}
                found.append(IncomingReply("discord", key, who, reply, None, place))
    return found


def _said(message: JsonObject, channel: str) -> IncomingReply | None:
    author, text = message.get("author"), message.get("content")
    if not isinstance(author, dict) or author.get("bot") or not isinstance(text, str) or not text:
        return None
    place: JsonObject = {"channel": channel}
    refers = message.get("message_reference")
    if isinstance(refers, dict) and refers.get("message_id"):
        place["message"] = refers["message_id"]
    is_loose = "message" not in place
    key, who = f"m:{message.get('id')}", str(author.get("id"))
    return IncomingReply("discord", key, who, {"text": text}, None, place, is_loose)
