"""Questions in Telegram and the replies to them: updates, posted to us or requested."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from toolweave.catalog.node import NodeContext, NodeInput
from toolweave.catalog.node_input import read_each, refused_at
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import THANKS, addressed, carried, kept_credential, pressed
from toolweave.nodes.human._incoming_reply import IncomingReply
from toolweave.nodes.human._question import Nudge, Port
from toolweave.nodes.services._client import calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services._overrides import record
from toolweave.nodes.services.telegram.api import TELEGRAM
from toolweave.re2_patterns import Re2Pattern, compile_re2
from toolweave.workflow.question import Question

MAX_TEXT = 4_096


@dataclass(frozen=True, slots=True)
class TelegramMessages:
    """Asks as one bot in one chat, as a node's settings say."""

    given: NodeInput

    async def ask(self, context: NodeContext, question: Question) -> JsonObject | None:
        """Send the question; where it stands."""
        given = self.given
        body: JsonObject = {
            "chat_id": given.text("chat_id"),
            "text": addressed(given.text("user_mention"), question.text)[:MAX_TEXT],
            "parse_mode": given.text("parse_mode"),
            "disable_notification": given.flag("disable_notification"),
            "reply_markup": self._markup(question),
        }
        said = await _send(context, given.text("telegram_bot_token"), body)
        chat = said.get("chat")
        return {
            "chat": chat.get("id") if isinstance(chat, dict) else given.text("chat_id"),
            "message": said.get("message_id"),
            "credential": kept_credential(given.text("telegram_bot_token")),
        }

    async def nudge(self, context: NodeContext, thread: JsonObject, nudge: Nudge) -> None:
        """Remind below the question."""
        await self._say(context, thread, nudge.text)

    async def tell(self, context: NodeContext, thread: JsonObject, port: Port, reply: Json) -> None:
        """Say below the question what came of it, in the node's words."""
        words = {**THANKS, **self.given.record("confirmation_messages")}
        await self._say(context, thread, str(words.get(port) or ""))

    async def _say(self, context: NodeContext, thread: JsonObject, text: str) -> None:
        if text:
            await say(context, thread, text, self.given.text("telegram_bot_token"))

    def _markup(self, question: Question) -> JsonObject:
        if self.given.flag("enable_reply_keyboard"):
            labels: list[Json] = [{"text": str(one)} for one in _labels(self.given)]
            return {"keyboard": [labels], "one_time_keyboard": True, "resize_keyboard": True}
        rows: list[Json] = []
        for row in self.given.listing("inline_keyboard"):
            buttons = [one for one in row if isinstance(one, dict)] if isinstance(row, list) else []
            rows.append([_button(question.id, one) for one in buttons])
        return {"inline_keyboard": rows}


def refusing(given: NodeInput) -> Callable[[str], str | None]:
    """Why words that somebody wrote do not count, by a node's settings."""
    patterns = check_patterns(given)
    labels = set(_labels(given)) if given.flag("enable_reply_keyboard") else set[str]()

    def refuses(text: str) -> str | None:
        if text.strip() in labels:
            return None
        if not given.flag("allow_text_responses"):
            return "only buttons count here"
        if not given.flag("require_specific_response"):
            return None
        fits = any(pattern.search(text) for pattern in patterns)
        return None if fits else "it has none of the forms that count"

    return refuses


def check_patterns(given: NodeInput) -> list[Re2Pattern]:
    """The forms of a reply that count. Raises `REPLY_PATTERN_INVALID`."""
    patterns = [str(one) for one in given.listing("allowed_response_patterns")]
    return read_each(partial(_usable, pattern, index) for index, pattern in enumerate(patterns))


def _usable(pattern: str, index: int) -> Re2Pattern:
    compiled = compile_re2(pattern)
    if isinstance(compiled, str):
        raise refused_at(
            ("allowed_response_patterns", index),
            "REPLY_PATTERN_INVALID",
            f"the pattern {pattern[:100]!r} is no RE2",
            hint="write it as (?i)^(yes|no)",
        )
    return compiled


def _labels(given: NodeInput) -> list[str]:
    return [str(one) for one in given.listing("reply_keyboard_buttons")]


def _button(question: str, button: JsonObject) -> JsonObject:
    says = str(button.get("callback_data") or button.get("text"))
    return {"text": str(button.get("text")), "callback_data": carried(question, says)}


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


async def say(
    context: NodeContext, thread: JsonObject, text: str, token: str | None = None
) -> None:
    """Reply to the message of a question, with its stored credential unless `token` is given."""
    credential = str(thread.get("credential") or "") if token is None else token
    refers: JsonObject = {"message_id": thread["message"]}
    where: JsonObject = {"chat_id": thread["chat"], "reply_parameters": refers}
    await _send(context, credential, {**where, "text": text[:MAX_TEXT]})


async def _send(context: NodeContext, token: str, body: JsonObject) -> JsonObject:
    telegram = await calling(context, TELEGRAM, token)
    answer = await telegram.send("sendMessage", ServiceCall("POST", "/sendMessage", body=body))
    return record(answer.record.get("result"))


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
