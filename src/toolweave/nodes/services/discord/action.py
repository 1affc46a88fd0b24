"""EXTERNAL_ACTION.DISCORD_ACTION: post, moderate and manage in a Discord server."""

from dataclasses import replace
from urllib.parse import quote

from toolweave import json_text
from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Effect, Example, Field, NodeSpec, terms
from toolweave.errors import Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._attachments import attached
from toolweave.nodes.services._client import (
    ServiceClient,
    ServiceResponse,
    calling,
    metadata,
    waiting,
    without_token,
)
from toolweave.nodes.services._operation import Action, ServiceCall, build, effect_in, missing
from toolweave.nodes.services._overrides import (
    RETRY_CONFIG,
    objects,
    record,
    retry_limits,
    settings_of,
    unwaited,
)
from toolweave.nodes.services.discord.api import (
    ACTIONS,
    DISCORD,
    MESSAGE,
    OPEN_DM,
    REMOVE_ROLE,
    SERVER_ID,
    THREAD_OF_MESSAGE,
)
from toolweave.nodes.services.discord.values import (
    CHANNEL_TYPES,
    THREAD_TYPES,
    message_of,
    number,
    overwrite,
)
from toolweave.nodes.web_address import check_url

DAY_S = 86_400


class DiscordAction:
    """Calls one operation of the Discord API."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="DISCORD_ACTION",
        summary="Send messages and files to Discord, and manage its channels, roles and members.",
        effect="once",
        configurations=(
            Field(
                "action_type",
                "string",
                "What to do in Discord, e.g. send_message.",
                "send_message",
                required=True,
                options=tuple(ACTIONS),
            ),
            SERVER_ID,
            Field("channel_id", "string", "Id of the channel to act in: 17 to 20 digits."),
            Field(
                "message_content",
                "string",
                "Text in Discord's Markdown, up to 2000 characters; may hold {{ data.title }}.",
                multiline=True,
            ),
            Field(
                "embed_config",
                "object",
                'Embed: {"title": "Down", "description": "db-2", "color": 15158332, "fields": []}.',
                members="{title, description, url, timestamp, color: integer 0..16777215, "
                "type, footer: {text*, icon_url, …}, image: {url*, …}, thumbnail: "
                "{url*, …}, video: object, provider: object, author: {name*, url, "
                "icon_url, …}, fields: [{name*, value*, inline: boolean}]}",
            ),
            Field(
                "file_config",
                "object",
                'File to send: {"file_path": "out/report.pdf", "filename": "report.pdf", '
                '"description": "May"}.',
                members="{file_path, path, filename, description, content, content_base64, "
                "content_type}",
            ),
            Field(
                "target_user_id", "string", "Id of the member to message, kick, ban or give a role."
            ),
            Field(
                "role_config",
                "object",
                'Role change: {"role_id": "41771983423143936", "action": "add", "reason": "New"}.',
                members="{role_id, action: add|remove, reason}",
            ),
            Field(
                "channel_config",
                "object",
                "New channel or rights: name, type (text, voice, category), category_id, topic, "
                "permissions.",
                members="{name, type: text|voice|category|announcement|stage|forum, "
                "category_id, topic, permissions: array, nsfw: boolean, position: "
                "integer, rate_limit_per_user: integer 0..21600, bitrate: integer, "
                "user_limit: integer 0..99, max_age: integer 0..604800, max_uses: "
                "integer 0..100, temporary: boolean, unique: boolean}",
            ),
            Field(
                "moderation_config",
                "object",
                "For kick and ban: reason, delete_message_days (0-7), send_dm, dm_message.",
                members="{reason, delete_message_days: integer 0..7, send_dm: boolean, dm_message}",
            ),
            Field(
                "reaction_emoji", "string", "Emoji to react with, or name:id of a custom one.", "👍"
            ),
            Field(
                "message_id", "string", "Id of the message to react to, pin or start a thread from."
            ),
            Field(
                "thread_config",
                "object",
                "New thread: name, auto_archive_duration in minutes (60, 1440, 4320, 10080), type.",
                {"auto_archive_duration": 1440, "type": "public"},
                members="{name, auto_archive_duration: integer, type: "
                "public|private|announcement, invitable: boolean, "
                "rate_limit_per_user: integer 0..21600}",
            ),
            Field(
                "webhook_config",
                "object",
                "For send_webhook: webhook_url (secret: a vault reference), username, avatar_url.",
                sensitive=True,
                members="{webhook_url, username, avatar_url, allowed_mentions: object, tts: "
                "boolean}",
            ),
            RETRY_CONFIG,
            Field(
                "rate_limit_handling",
                "boolean",
                "Wait and go on when Discord limits the rate.",
                True,
            ),
        ),
        inputs=(
            Field(
                "action_type",
                "string",
                "Takes the place of the configured action when given.",
                options=tuple(ACTIONS)[:10],
            ),
            Field(
                "data",
                "object",
                'Values for templates, and any configuration to override: {"channel_id": "4177…"}.',
            ),
            Field("context", "object", "Further values for templates: {{ context.team }}."),
            Field("variables", "object", "Further values for templates: {{ variables.person }}."),
        ),
        outputs=(
            Field("success", "boolean", "Whether Discord accepted the call."),
            Field("discord_response", "object", "Discord's whole answer."),
            Field("message_id", "string", "Id of the message sent or acted on."),
            Field("channel_id", "string", "Id of the channel acted in, or made."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field(
                "rate_limit_info", "object", "Calls left in this bucket: limit, remaining, reset."
            ),
            Field("execution_metadata", "object", "The action done, time taken and attempts."),
        ),
        tags=("discord", "chat", "community", "moderation"),
        keywords=terms(
            "discord, send, message, server, guild, channel, embed, role, ban, moderate, bot, "
            "community"
        ),
        guidance=(
            "The bot token is not a configuration: it is kept in the vault. send_message needs "
            "channel_id and message_content or embed_config; send_dm, kick_member and ban_member "
            "need target_user_id. To ask and wait use HUMAN_IN_THE_LOOP.DISCORD_INTERACTION."
        ),
        examples=(
            Example(
                "Post an alert",
                "Sends an embed with two fields.",
                {
                    "action_type": "send_message",
                    "server_id": "81384788765712384",
                    "channel_id": "381870553235193857",
                    "embed_config": {
                        "title": "{{ data.service }} is down",
                        "color": 15158332,
                        "fields": [
                            {"name": "Since", "value": "{{ data.since }}", "inline": True},
                            {"name": "On call", "value": "Ada", "inline": True},
                        ],
                    },
                },
                {"data": {"service": "checkout", "since": "14:02 UTC"}},
            ),
            Example(
                "Give a role",
                "Adds a role to a member who qualified.",
                {
                    "action_type": "manage_roles",
                    "server_id": "81384788765712384",
                    "target_user_id": "80351110224678912",
                    "role_config": {
                        "role_id": "41771983423143936",
                        "action": "add",
                        "reason": "Finished the course",
                    },
                },
            ),
            Example(
                "Open a channel",
                "Creates a text channel in a category.",
                {
                    "action_type": "create_channel",
                    "server_id": "81384788765712384",
                    "channel_config": {
                        "name": "release-2-3",
                        "type": "text",
                        "category_id": "399942396007890945",
                        "topic": "Everything about release 2.3",
                    },
                },
            ),
            Example(
                "Send a report",
                "Uploads a file with a line of text.",
                {
                    "action_type": "send_file",
                    "server_id": "81384788765712384",
                    "channel_id": "381870553235193857",
                    "message_content": "Sales of {{ data.month }}",
                    "file_config": {
                        "file_path": "out/sales.csv",
                        "filename": "sales-2026-02.csv",
                        "description": "Sales by day",
                    },
                },
                {"data": {"month": "February"}},
            ),
            Example(
                "Write through a webhook",
                "Posts without a bot, by a webhook's secret address.",
                {
                    "action_type": "send_webhook",
                    "server_id": "81384788765712384",
                    "message_content": "Deployed to production.",
                    "webhook_config": {"webhook_url": "${vault:discord-deploy-webhook}"},
                },
            ),
        ),
    )

    def effect_of(self, config: JsonObject) -> Effect:
        """What is the same when done twice may be repeated."""
        moderation = record(config.get("moderation_config"))
        return "once" if moderation.get("send_dm") else effect_in(ACTIONS, config)

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Do the action."""
        values = settings_of(context, self.spec)
        by_hook = values["action_type"] == "send_webhook"
        caller = without_token(context, DISCORD) if by_hook else await calling(context, DISCORD, "")
        allowed = retry_limits(context, values)
        most = allowed.most if values.get("rate_limit_handling") else 0
        try:
            return await waiting(
                context,
                caller,
                lambda: _done(context, caller, values),
                most=most,
                least_s=allowed.least_s,
            )
        except Unavailable as error:
            if error.code == "SERVICE_LIMITED" and not most:
                raise unwaited(error.message) from None
            raise


async def _done(context: NodeContext, caller: ServiceClient, values: JsonObject) -> Outcome:
    name = str(values["action_type"])
    answer = await _do(context, caller, name, values)
    told = answer.record
    is_message = name.startswith("send_")
    is_channel = name in {"create_channel", "create_thread"}
    return Outcome(
        {
            "success": True,
            "discord_response": told,
            "message_id": (told.get("id") if is_message else values.get("message_id")) or "",
            "channel_id": told.get("channel_id")
            or (told.get("id") if is_channel else values.get("channel_id"))
            or "",
            "error_message": "",
            "rate_limit_info": caller.tally.limits,
            "execution_metadata": metadata(context, name, caller.tally),
        }
    )


async def _do(
    context: NodeContext, caller: ServiceClient, name: str, values: JsonObject
) -> ServiceResponse:
    match name:
        case "send_message" | "send_dm" | "send_webhook":
            return await _say(caller, name, values)
        case "send_file":
            return await _send_file(context, caller, values)
        case "manage_permissions":
            return await _permit(caller, values)
        case "kick_member" | "ban_member":
            return await _moderate(caller, name, values)
        case "create_channel" | "create_invite":
            config = record(values.get("channel_config"))
            of_type = number(CHANNEL_TYPES, config.get("type"), "channel_config.type")
            rights: list[Json] = [overwrite(one) for one in objects(config.get("permissions"))]
            more: JsonObject = {"type": of_type, "permission_overwrites": rights or None}
            return await caller.do(name, ACTIONS[name], {**values, **config, **more})
        case "create_thread":
            return await _thread(caller, values)
        case "manage_roles":
            config = record(values.get("role_config"))
            action = REMOVE_ROLE if config.get("action") == "remove" else ACTIONS[name]
            return await _reasoned(caller, name, action, {**values, **config})
        case _:
            return await caller.do(name, ACTIONS[name], values)


async def _say(caller: ServiceClient, name: str, values: JsonObject) -> ServiceResponse:
    message = message_of(values, name)
    if name == "send_webhook":
        hook = record(values.get("webhook_config"))
        url = hook.get("webhook_url")
        if not isinstance(url, str) or not url:
            raise missing("webhook_config.webhook_url", name)
        if "${vault:" not in url:
            check_url(url, "webhook_config", "webhook_url")
        call = build(name, ACTIONS[name], {**message, **hook})
        query = (("wait", "true"),)
        return await caller.send(name, ServiceCall("POST", url, query, call.body, is_secret=True))
    if name == "send_dm":
        opened = await caller.do(name, OPEN_DM, values)
        message["channel_id"] = opened.record.get("id")
    return await caller.do(name, ACTIONS[name], message)


async def _send_file(
    context: NodeContext, caller: ServiceClient, values: JsonObject
) -> ServiceResponse:
    config = record(values.get("file_config"))
    if not config:
        raise missing("file_config", "send_file")
    call = build("send_file", MESSAGE, message_of(values, "send_file"))
    part = await attached(context, config, "files[0]")
    described: JsonObject = {"id": 0, "filename": part.filename}
    if config.get("description"):
        described["description"] = config["description"]
    payload: JsonObject = {**record(call.body), "attachments": [described]}
    fields: JsonObject = {"payload_json": json_text.write(payload)}
    return await caller.send(
        "send_file", ServiceCall("POST", call.path, body=fields, parts=(part,))
    )


async def _permit(caller: ServiceClient, values: JsonObject) -> ServiceResponse:
    rights = objects(record(values.get("channel_config")).get("permissions"))
    if not rights:
        raise missing("channel_config.permissions", "manage_permissions")
    answer = ServiceResponse(None)
    for one in rights:
        wanted = {**values, **overwrite(one), "overwrite_id": one.get("id")}
        answer = await caller.do("manage_permissions", ACTIONS["manage_permissions"], wanted)
    return answer


async def _moderate(caller: ServiceClient, name: str, values: JsonObject) -> ServiceResponse:
    config = record(values.get("moderation_config"))
    action = ACTIONS[name]
    days = config.get("delete_message_days")
    seconds = int(days * DAY_S) if isinstance(days, int | float) else None
    wanted: JsonObject = {**values, **config, "delete_message_seconds": seconds}
    build(name, action, wanted)
    if config.get("send_dm") and config.get("dm_message"):
        # Before they are gone: afterwards they share no server with the bot.
        await _say(caller, "send_dm", {**values, "message_content": config["dm_message"]})
    return await _reasoned(caller, name, action, wanted)


async def _reasoned(
    caller: ServiceClient, name: str, action: Action, values: JsonObject
) -> ServiceResponse:
    """Do it with the reason that the server's log shows."""
    call = build(name, action, values)
    reason = values.get("reason")
    if isinstance(reason, str) and reason:
        call = replace(call, headers={"x-audit-log-reason": quote(reason[:512], safe=" ")})
    return await caller.send(name, call)


async def _thread(caller: ServiceClient, values: JsonObject) -> ServiceResponse:
    config = record(values.get("thread_config"))
    kind = number(THREAD_TYPES, config.get("type"), "thread_config.type")
    action = THREAD_OF_MESSAGE if values.get("message_id") else ACTIONS["create_thread"]
    return await caller.do("create_thread", action, {**values, **config, "type": kind})


node = DiscordAction()
