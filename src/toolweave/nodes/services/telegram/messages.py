"""Questions in Telegram: a message with buttons, in the message or in place of the keyboard."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs] # it has none

from toolweave.catalog.node import NodeContext, NodeInput
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.human._buttons import THANKS, addressed, carried, kept_credential
from toolweave.nodes.human._question import Nudge, Port
from toolweave.nodes.services._client import calling
from toolweave.nodes.services._operation import ServiceCall
from toolweave.nodes.services.telegram.api import TELEGRAM
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
        said = await self._send(context, body)
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
            refers: JsonObject = {"message_id": thread["message"]}
            where: JsonObject = {"chat_id": thread["chat"], "reply_parameters": refers}
            await self._send(context, {**where, "text": text[:MAX_TEXT]})

    async def _send(self, context: NodeContext, body: JsonObject) -> JsonObject:
        telegram = await calling(context, TELEGRAM, self.given.text("telegram_bot_token"))
        answer = await telegram.send("sendMessage", ServiceCall("POST", "/sendMessage", body=body))
        result = answer.record.get("result")
        return result if isinstance(result, dict) else {}

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
    patterns = [str(one) for one in given.listing("allowed_response_patterns")]
    for pattern in patterns:
        _compiled(pattern)
    labels = set(_labels(given)) if given.flag("enable_reply_keyboard") else set[str]()

    def refuses(text: str) -> str | None:
        if text.strip() in labels:
            return None
        if not given.flag("allow_text_responses"):
            return "only buttons count here"
        if not given.flag("require_specific_response"):
            return None
        fits = any(_compiled(pattern).search(text) for pattern in patterns)
        return None if fits else "it has none of the forms that count"

    return refuses


def _labels(given: NodeInput) -> list[str]:
    return [str(one) for one in given.listing("reply_keyboard_buttons")]


class _Pattern(Protocol):
    def search(self, text: str) -> object: ...


def _compiled(pattern: str) -> _Pattern:
    options = re2.Options()
    options.log_errors = False
    try:
        return _compile(pattern, options)
    except _RegexError:
        message = f"the pattern {pattern[:100]!r} is no RE2"
        raise Invalid("REPLY_PATTERN_INVALID", message, hint="write it as (?i)^(yes|no)") from None


def _button(question: str, button: JsonObject) -> JsonObject:
    says = str(button.get("callback_data") or button.get("text"))
    return {"text": str(button.get("text")), "callback_data": carried(question, says)}


_compile = cast("Callable[[str, object], _Pattern]", re2.compile)  # pyright: ignore[reportUnknownMemberType]
_RegexError = cast(type[Exception], re2.error)  # pyright: ignore[reportUnknownMemberType]
