"""EXTERNAL_ACTION.TELEGRAM_ACTION: send messages and manage chats as a Telegram bot."""

from dataclasses import replace

from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec, terms
from toolweave.json_text import JsonObject
from toolweave.nodes.services._attachments import attached
from toolweave.nodes.services._client import (
    ServiceClient,
    ServiceResponse,
    calling,
    metadata,
    waiting,
)
from toolweave.nodes.services._operation import build, effect_in, missing
from toolweave.nodes.services._overrides import RETRY_CONFIG, record, retry_limits, settings_of
from toolweave.nodes.services.telegram.api import (
    ACTIONS,
    BOT_TOKEN,
    FILES,
    TELEGRAM,
    UNBAN,
    is_elsewhere,
    media_of,
    parse_mode,
    values_of,
)

# The original's inputs say create_poll where its configuration says send_poll.
INPUT_ACTIONS = terms(
    "send_message, send_photo, send_document, send_video, send_audio, send_voice, send_location, "
    "send_contact, edit_message, delete_message, forward_message, pin_message, create_poll, "
    "send_sticker"
)


class TelegramAction:
    """Calls one method of the Telegram Bot API."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="TELEGRAM_ACTION",
        summary="Send messages, media and polls with a Telegram bot, and manage its chats.",
        effect="once",
        configurations=(
            BOT_TOKEN,
            Field(
                "action_type",
                "string",
                "What to do in Telegram, e.g. send_message.",
                "send_message",
                required=True,
                options=tuple(ACTIONS),
            ),
            Field(
                "chat_id",
                "string",
                "Chat to act in: a number such as -1001234567890, or @channelname.",
                required=True,
            ),
            Field(
                "message_text",
                "string",
                "Text, caption, new chat title or description; may hold {{ data.name }}.",
                multiline=True,
            ),
            parse_mode("How the text is formatted."),
            Field(
                "media_config",
                "object",
                "Photo, document, video, audio, voice, sticker: file_path (path, URL or id), "
                "caption, supports_streaming.",
                members="{file_path, file_id, url, filename, caption, parse_mode: "
                "Markdown|HTML|MarkdownV2, supports_streaming: boolean, has_spoiler: "
                "boolean, duration: integer, width: integer, height: integer, "
                "performer, title}",
            ),
            Field(
                "keyboard_config",
                "object",
                "Buttons: type (inline or reply), buttons as rows of {text, callback_data or url}, "
                "one_time_keyboard.",
                members="{type: inline|reply|remove, buttons: [[string or {text*, "
                "callback_data, url, web_app: object, login_url: object, "
                "switch_inline_query, switch_inline_query_current_chat, "
                "switch_inline_query_chosen_chat: object, copy_text: object, "
                "callback_game: object, pay: boolean, request_contact: boolean, "
                "request_location: boolean, request_poll: object, request_users: "
                "object, request_chat: object, style, icon_custom_emoji_id}] or "
                "{text*, callback_data, url, web_app: object, login_url: object, "
                "switch_inline_query, switch_inline_query_current_chat, "
                "switch_inline_query_chosen_chat: object, copy_text: object, "
                "callback_game: object, pay: boolean, request_contact: boolean, "
                "request_location: boolean, request_poll: object, request_users: "
                "object, request_chat: object, style, icon_custom_emoji_id}], "
                "one_time_keyboard: boolean, resize_keyboard: boolean, is_persistent: "
                "boolean, selective: boolean}",
            ),
            Field(
                "location_config",
                "object",
                'Place: {"latitude": 52.52, "longitude": 13.405, "live_period": 0}.',
                members="{latitude: number -90..90, longitude: number -180..180, live_period: "
                "integer, horizontal_accuracy: number 0..1500, heading: integer "
                "0..360, proximity_alert_radius: integer}",
            ),
            Field(
                "contact_config",
                "object",
                'Contact: {"phone_number": "+4930123456", "first_name": "Ada", "last_name": ""}.',
                members="{phone_number, first_name, last_name, vcard}",
            ),
            Field(
                "poll_config",
                "object",
                "Poll: question, options, is_anonymous, type (regular or quiz), "
                "allows_multiple_answers.",
                members="{question, options: [string or {text*, …}], is_anonymous: boolean, "
                "type: regular|quiz, allows_multiple_answers: boolean, "
                "correct_option_id: integer, explanation, open_period: integer "
                "5..600, close_date: integer, is_closed: boolean}",
            ),
            Field(
                "user_management",
                "object",
                "Member to ban, kick, promote or restrict: user_id, until_date, revoke_messages, "
                "permissions.",
                members="{user_id: id, until_date: integer, revoke_messages: boolean, "
                "only_if_banned: boolean, use_independent_chat_permissions: boolean, "
                "permissions: object}",
            ),
            Field(
                "message_options",
                "object",
                "disable_notification, protect_content, allow_sending_without_reply, "
                "reply_to_message_id.",
                members="{disable_notification: boolean, protect_content: boolean, "
                "allow_sending_without_reply: boolean, reply_to_message_id: id, "
                "message_thread_id: id}",
            ),
            Field(
                "edit_config",
                "object",
                'Message to edit, delete, pin, unpin: {"message_id": "812"}, or inline_message_id.',
                members="{message_id: id, inline_message_id}",
            ),
            Field(
                "forward_config",
                "object",
                'What to forward: {"from_chat_id": "@news", "message_id": "812"}, '
                "disable_notification.",
                members="{from_chat_id: id, message_id: id, disable_notification: boolean, "
                "protect_content: boolean}",
            ),
            RETRY_CONFIG,
        ),
        inputs=(
            Field(
                "action_type",
                "string",
                "Takes the place of the configured action; create_poll is send_poll.",
                options=INPUT_ACTIONS,
            ),
            Field(
                "data",
                "object",
                'Values for templates, and any configuration to override: {"chat_id": "@news"}.',
            ),
            Field("context", "object", "Further values for templates: {{ context.team }}."),
            Field("variables", "object", "Further values for templates: {{ variables.person }}."),
        ),
        outputs=(
            Field("success", "boolean", "Whether Telegram accepted the call."),
            Field("telegram_response", "object", "Telegram's whole answer."),
            Field("message_id", "string", "Id of the message sent or acted on."),
            Field("chat_id", "string", "Id of the chat acted in."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("rate_limit_info", "object", "Seconds to wait, when Telegram limits the rate."),
            Field("execution_metadata", "object", "The action done, time taken and attempts."),
        ),
        tags=("telegram", "chat", "messaging", "bot"),
        keywords=terms(
            "telegram, bot, send, message, photo, poll, group, channel, notify, chat, sticker"
        ),
        guidance=(
            "Fill the object that belongs to the action: media_config for files, poll_config for "
            "polls, user_management for members, edit_config for an existing message. To ask and "
            "wait for an answer use HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION."
        ),
        examples=(
            Example(
                "Send an alert with buttons",
                "Posts to a group with links below the text.",
                {
                    "telegram_bot_token": "${vault:telegram-bot-token}",
                    "action_type": "send_message",
                    "chat_id": "-1001234567890",
                    "message_text": "*{{ data.service }}* answers slowly: {{ data.latency }}",
                    "keyboard_config": {
                        "type": "inline",
                        "buttons": [[{"text": "Dashboard", "url": "https://status.example.com"}]],
                    },
                },
                {"data": {"service": "search", "latency": "2.4 s"}},
            ),
            Example(
                "Send a document",
                "Delivers a file without a sound.",
                {
                    "telegram_bot_token": "${vault:telegram-bot-token}",
                    "action_type": "send_document",
                    "chat_id": "@acme_reports",
                    "media_config": {
                        "file_path": "https://files.example.com/2026-02.pdf",
                        "caption": "Report of February",
                    },
                    "message_options": {"disable_notification": True},
                },
            ),
            Example(
                "Ask the group",
                "Starts a poll with several answers allowed.",
                {
                    "telegram_bot_token": "${vault:telegram-bot-token}",
                    "action_type": "send_poll",
                    "chat_id": "-1001234567890",
                    "poll_config": {
                        "question": "When shall we meet?",
                        "options": ["Monday", "Tuesday", "Thursday"],
                        "is_anonymous": False,
                        "allows_multiple_answers": True,
                    },
                },
            ),
            Example(
                "Mute a member",
                "Takes the right to write from someone for an hour.",
                {
                    "telegram_bot_token": "${vault:telegram-bot-token}",
                    "action_type": "restrict_user",
                    "chat_id": "-1001234567890",
                    "user_management": {
                        "user_id": "987654321",
                        "until_date": 1772800000,
                        "permissions": {"can_send_messages": False},
                    },
                },
            ),
            Example(
                "Correct a message",
                "Edits what the bot said before.",
                {
                    "telegram_bot_token": "${vault:telegram-bot-token}",
                    "action_type": "edit_message",
                    "chat_id": "-1001234567890",
                    "message_text": "Solved at 14:31.",
                    "parse_mode": "HTML",
                    "edit_config": {"message_id": "812"},
                },
            ),
        ),
    )

    def effect_of(self, config: JsonObject) -> Effect:
        """What is the same when done twice may be repeated."""
        return effect_in(ACTIONS, config)

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Do the action."""
        settings = settings_of(context, self.spec)
        caller = await calling(context, TELEGRAM, context.given.text("telegram_bot_token"))
        allowed = retry_limits(context, settings)
        return await waiting(
            context,
            caller,
            lambda: _done(context, caller, settings),
            most=allowed.most,
            least_s=allowed.least_s,
        )


async def _done(context: NodeContext, caller: ServiceClient, settings: JsonObject) -> Outcome:
    given = str(settings["action_type"])
    name = "send_poll" if given == "create_poll" else given
    values = values_of(settings, name)
    answer = await _do(context, caller, name, values)
    result = record(answer.record.get("result"))
    message = result.get("message_id") or values.get("message_id")
    chat = record(result.get("chat")).get("id") or values.get("chat_id")
    return Outcome(
        {
            "success": True,
            "telegram_response": answer.record,
            "message_id": "" if message is None else str(message),
            "chat_id": "" if chat is None else str(chat),
            "error_message": "",
            "rate_limit_info": caller.tally.limits,
            "execution_metadata": metadata(context, name, caller.tally),
        }
    )


async def _do(
    context: NodeContext, caller: ServiceClient, name: str, values: JsonObject
) -> ServiceResponse:
    action = ACTIONS[name]
    if name in FILES:
        return await _send_media(context, caller, name, values)
    if name == "edit_message" and not (values["message_id"] or values["inline_message_id"]):
        raise missing("edit_config.message_id", name)
    call = build(name, action, values)
    if name == "promote_user":
        # The rights are fields of their own; one that is not named is taken away.
        call = replace(call, body={**record(call.body), **record(values.get("permissions"))})
    answer = await caller.send(name, call)
    if name == "kick_user":
        await caller.do(name, UNBAN, {**values, "only_if_banned": True})
    return answer


async def _send_media(
    context: NodeContext, caller: ServiceClient, name: str, values: JsonObject
) -> ServiceResponse:
    media, field = media_of(values, name), FILES[name]
    call = build(name, ACTIONS[name], values)
    if is_elsewhere(media):
        return await caller.send(name, replace(call, body={**record(call.body), field: media}))
    part = await attached(context, {"path": media, "filename": values.get("filename")}, field)
    return await caller.send(name, replace(call, parts=(part,)))


node = TelegramAction()
