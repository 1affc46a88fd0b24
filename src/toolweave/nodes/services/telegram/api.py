"""Telegram's Bot API: its methods as data, how it says no, and fields out of a node's words."""

import re

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.catalog.spec import Field
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._failures import http_failure
from toolweave.nodes.services._operation import Action, invalid, missing, post
from toolweave.nodes.services._overrides import record
from toolweave.patterns import pattern

# What Telegram takes in a poll.
MAX_OPTIONS = 12
BOT_TOKEN = Field(
    "telegram_bot_token",
    "string",
    "Token from BotFather, as a vault reference.",
    required=True,
    sensitive=True,
    # It is a part of the address that is called.
    pattern=r"^\S+$",
)
_SENT = "reply_markup disable_notification protect_content reply_parameters message_thread_id"
_MEDIA = f"chat_id! caption parse_mode {_SENT}"
# Telegram's ids of files are long, of these letters, and hold neither a dot nor a slash.
_FILE_ID = pattern(r"[A-Za-z0-9_-]{20,}")


def parse_mode(description: str) -> Field:
    """Return the field that selects Telegram's formatting."""
    modes = ("Markdown", "HTML", "MarkdownV2")
    return Field("parse_mode", "string", description, "Markdown", options=modes)


def _failure(response: Response, value: Json) -> Failure | None:
    told = record(value)
    if told.get("ok") is True:
        return None
    words = str(told.get("description") or "")
    more = record(told.get("parameters"))
    if more.get("migrate_to_chat_id"):
        words += f" (its new id is {more['migrate_to_chat_id']})"
    failure = http_failure(response, words) or Failure(400, words)
    code = told.get("error_code")
    wait_s = more.get("retry_after")
    return Failure(
        code if isinstance(code, int) else failure.status,
        failure.words,
        float(wait_s) if isinstance(wait_s, int | float) else failure.retry_after_s,
    )


TELEGRAM = Service(
    kind="telegram",
    title="Telegram",
    address="https://api.telegram.org",
    failure=_failure,
    headers={},
    prefix="/bot{token}",
    whoami=("GET", "/getMe"),
    who=("username", "first_name"),
)


def _again(path: str, body: str) -> Action:
    return Action("POST", path, body, is_repeatable=True)


ACTIONS: dict[str, Action] = {
    "send_message": post(
        "/sendMessage", f"chat_id! text=message_text! parse_mode link_preview_options {_SENT}"
    ),
    "send_photo": post("/sendPhoto", f"{_MEDIA} has_spoiler"),
    "send_document": post("/sendDocument", _MEDIA),
    "send_video": post("/sendVideo", f"{_MEDIA} supports_streaming duration width height"),
    "send_audio": post("/sendAudio", f"{_MEDIA} duration performer title"),
    "send_voice": post("/sendVoice", f"{_MEDIA} duration"),
    "send_location": post(
        "/sendLocation",
        "chat_id! latitude! longitude! live_period horizontal_accuracy heading "
        f"proximity_alert_radius {_SENT}",
    ),
    "send_contact": post(
        "/sendContact", f"chat_id! phone_number! first_name! last_name vcard {_SENT}"
    ),
    "send_poll": post(
        "/sendPoll",
        "chat_id! question! options! is_anonymous type allows_multiple_answers correct_option_id "
        f"explanation open_period close_date is_closed {_SENT}",
    ),
    "send_sticker": post("/sendSticker", f"chat_id! {_SENT}"),
    "edit_message": _again(
        "/editMessageText",
        "chat_id message_id inline_message_id text=message_text! parse_mode reply_markup",
    ),
    "delete_message": post("/deleteMessage", "chat_id! message_id!"),
    "forward_message": post(
        "/forwardMessage",
        "chat_id! from_chat_id! message_id! disable_notification protect_content",
    ),
    "pin_message": _again("/pinChatMessage", "chat_id! message_id! disable_notification"),
    "unpin_message": _again("/unpinChatMessage", "chat_id! message_id"),
    "ban_user": _again("/banChatMember", "chat_id! user_id! until_date revoke_messages"),
    "unban_user": _again("/unbanChatMember", "chat_id! user_id! only_if_banned"),
    "kick_user": post("/banChatMember", "chat_id! user_id! revoke_messages"),
    "promote_user": _again("/promoteChatMember", "chat_id! user_id!"),
    "restrict_user": _again(
        "/restrictChatMember",
        "chat_id! user_id! permissions! until_date use_independent_chat_permissions",
    ),
    "set_chat_title": _again("/setChatTitle", "chat_id! title=message_text!"),
    "set_chat_description": _again("/setChatDescription", "chat_id! description=message_text"),
    "export_chat_invite": post("/exportChatInviteLink", "chat_id!"),
}
# The field that holds the file of each kind.
FILES = {
    "send_photo": "photo",
    "send_document": "document",
    "send_video": "video",
    "send_audio": "audio",
    "send_voice": "voice",
    "send_sticker": "sticker",
}
UNBAN = ACTIONS["unban_user"]


def values_of(settings: JsonObject, name: str) -> JsonObject:
    """Every field that an action may send."""
    values = {**settings, **_sending(settings)}
    match name:
        case "send_location":
            place = record(settings.get("location_config"))
            return {**values, **place, "live_period": place.get("live_period") or None}
        case "send_contact":
            return {**values, **record(settings.get("contact_config"))}
        case "send_poll":
            return {**values, **_poll(record(settings.get("poll_config")))}
        case "forward_message":
            given = record(settings.get("forward_config"))
            return {**values, **given, "message_id": whole(given.get("message_id"))}
        case _ if name in FILES:
            media = record(settings.get("media_config"))
            caption = media.get("caption") or settings.get("message_text") or None
            return {**values, **media, "caption": caption}
        case _:
            return {**values, **_about(settings)}


def markup(keyboard: JsonObject) -> JsonObject | None:
    """Buttons as Telegram has them."""
    rows = keyboard.get("buttons")
    if keyboard.get("type") == "remove":
        return {"remove_keyboard": True}
    if not isinstance(rows, list) or not rows:
        return None
    tidy: list[Json] = [row if isinstance(row, list) else [row] for row in rows]
    if keyboard.get("type", "inline") == "inline":
        return {"inline_keyboard": tidy}
    names = ("one_time_keyboard", "resize_keyboard", "is_persistent", "selective")
    more = {name: keyboard[name] for name in names if name in keyboard}
    return {"keyboard": tidy, "resize_keyboard": True, **more}


def is_elsewhere(media: str) -> bool:
    """Whether a file is Telegram's already, or at an address, and need not be sent."""
    return media.startswith(("https://", "http://")) or bool(_FILE_ID.fullmatch(media))


def media_of(values: JsonObject, name: str) -> str:
    """Return the file of an action: a path, an address or Telegram's id."""
    given = values.get("file_path") or values.get("file_id") or values.get("url")
    if not isinstance(given, str) or not given:
        raise missing("media_config.file_path", name)
    return given


def whole(value: Json) -> Json:
    """A number that was written as text."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value) else value


def _sending(settings: JsonObject) -> JsonObject:
    options = record(settings.get("message_options"))
    reply: JsonObject | None = None
    if options.get("reply_to_message_id"):
        reply = {"message_id": whole(options["reply_to_message_id"])}
        if "allow_sending_without_reply" in options:
            reply["allow_sending_without_reply"] = options["allow_sending_without_reply"]
    names = ("disable_notification", "protect_content", "message_thread_id")
    return {
        **{name: options[name] for name in names if name in options},
        "reply_parameters": reply,
        "reply_markup": markup(record(settings.get("keyboard_config"))),
    }


def _poll(poll: JsonObject) -> JsonObject:
    options = poll.get("options")
    texts: list[Json] = [
        {"text": one} if isinstance(one, str) else one
        for one in (options if isinstance(options, list) else [])
    ]
    if isinstance(options, list) and not 2 <= len(options) <= MAX_OPTIONS:
        raise invalid("poll_config.options", f"has {len(options)}; expected 2 to {MAX_OPTIONS}")
    return {**poll, "options": texts}


def _about(settings: JsonObject) -> JsonObject:
    edit, member = record(settings.get("edit_config")), record(settings.get("user_management"))
    values: JsonObject = {
        **member,
        "user_id": whole(member.get("user_id")),
        "message_id": whole(edit.get("message_id")),
        "inline_message_id": edit.get("inline_message_id"),
    }
    if values["inline_message_id"]:
        values |= {"chat_id": None, "message_id": None}
    return values
