"""Replies in Telegram: updates, posted to us or asked for."""

from toolweave.catalog.node import NodeContext
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import pressed
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.services._client import calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.telegram.api import TELEGRAM

KINDS = '["message","callback_query"]'


def delivered(update: Json) -> IncomingReply | None:
    """What one update says, if it is for us."""
    if not isinstance(update, dict):
        return None
    key = f"u:{update.get('update_id')}"
    query, message = update.get("callback_query"), update.get("message")
    if isinstance(query, dict):
        button = pressed(query.get("data"))
        who = _who(query)
        return (
            IncomingReply("telegram", key, who, button.reply, button.question) if button else None
        )
    return _said(message, key) if isinstance(message, dict) else None


async def updates(
    context: NodeContext, credential: str, after: int | None
) -> tuple[list[JsonObject], int | None]:
    """What is new for a bot, and up to where that is."""
    telegram = await calling(context, TELEGRAM, credential)
    query = (("timeout", "0"), ("allowed_updates", KINDS))
    if after is not None:
        query = (*query, ("offset", str(after + 1)))
    told = (await telegram.send("getUpdates", ServiceCall("GET", "/getUpdates", query))).record
    result = told.get("result")
    found = [one for one in result if isinstance(one, dict)] if isinstance(result, list) else []
    numbers = [number for one in found if isinstance(number := one.get("update_id"), int)]
    return found, max(numbers, default=after)


async def heard_press(context: NodeContext, credential: str, update: JsonObject, text: str) -> None:
    """Take the waiting sign off a button that was pressed."""
    query = update.get("callback_query")
    if isinstance(query, dict):
        telegram = await calling(context, TELEGRAM, credential)
        body: JsonObject = {"callback_query_id": query.get("id"), "text": text[:200]}
        path = "/answerCallbackQuery"
        await telegram.send("answerCallbackQuery", ServiceCall("POST", path, body=body))


async def say(context: NodeContext, thread: JsonObject, text: str) -> None:
    """Say something below a question."""
    telegram = await calling(context, TELEGRAM, str(thread.get("credential") or ""))
    refers: JsonObject = {"message_id": thread["message"]}
    body: JsonObject = {"chat_id": thread["chat"], "text": text, "reply_parameters": refers}
    await telegram.send("sendMessage", ServiceCall("POST", "/sendMessage", body=body))


def _said(message: JsonObject, key: str) -> IncomingReply | None:
    chat, text, sender = message.get("chat"), message.get("text"), message.get("from")
    if not isinstance(chat, dict) or not isinstance(text, str):
        return None
    if isinstance(sender, dict) and sender.get("is_bot") is True:
        return None
    place: JsonObject = {"chat": chat.get("id")}
    below = message.get("reply_to_message")
    if isinstance(below, dict):
        place["message"] = below.get("message_id")
    is_loose = "message" not in place
    return IncomingReply("telegram", key, _who(message), {"text": text}, None, place, is_loose)


def _who(said: JsonObject) -> str:
    sender = said.get("from")
    return str(sender.get("id")) if isinstance(sender, dict) else ""
