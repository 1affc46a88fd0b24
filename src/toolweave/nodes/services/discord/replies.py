"""Replies in Discord: buttons by interactions, messages and reactions read from the channel."""

from collections.abc import Iterator
from urllib.parse import quote

from toolweave.catalog.node import NodeContext
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import pressed
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.services._client import ServiceClient, calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.discord.api import DISCORD

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
    """Say something below a question."""
    discord = await calling(context, DISCORD, "")
    refers: JsonObject = {"message_id": thread["message"], "fail_if_not_exists": False}
    path = f"/channels/{quote(str(thread['channel']), safe='')}/messages"
    body: JsonObject = {"content": text, "message_reference": refers}
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
