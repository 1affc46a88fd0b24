"""Slack's Web API: its actions, how it says no, and ids for the names people use."""

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.catalog.spec import Field
from toolweave.errors import NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._client import ServiceClient
from toolweave.nodes.services._failures import http_failure, retry_after_s
from toolweave.nodes.services._operation import Action
from toolweave.patterns import pattern

MAX_PAGES = 10
_ID = pattern(r"[CDGUW][A-Z0-9]{5,20}")
BOT_TOKEN = Field(
    "bot_token",
    "string",
    "Bot token that begins with xoxb-, as a vault reference.",
    required=True,
    sensitive=True,
)
USE_OAUTH = Field(
    "use_oauth", "boolean", "Use the workspace's OAuth connection if it has one.", True
)
_STATUS = {
    "invalid_auth": 401,
    "not_authed": 401,
    "token_expired": 401,
    "token_revoked": 401,
    "account_inactive": 401,
    "missing_scope": 403,
    "not_allowed_token_type": 403,
    "no_permission": 403,
    "restricted_action": 403,
    "not_in_channel": 403,
    "channel_not_found": 404,
    "user_not_found": 404,
    "users_not_found": 404,
    "message_not_found": 404,
    "thread_not_found": 404,
    "name_taken": 409,
    "already_archived": 409,
    "ratelimited": 429,
    "rate_limited": 429,
    "internal_error": 500,
    "fatal_error": 500,
    "service_unavailable": 503,
}


def _failure(response: Response, value: Json) -> Failure | None:
    """Slack says no with the status 200 and `ok: false`."""
    if not isinstance(value, dict) or "ok" not in value:
        return http_failure(response, "")
    if value["ok"] is True:
        return None
    said = str(value.get("error") or "no reason given")
    details = value.get("response_metadata")
    more = details.get("messages") if isinstance(details, dict) else None
    words = [said, *(str(value[name]) for name in ("needed", "detail") if value.get(name))]
    words += map(str, more) if isinstance(more, list) else []
    status = _STATUS.get(said, response.status if response.status >= 400 else 400)
    return Failure(status, "; ".join(words), retry_after_s(response))


SLACK = Service(
    kind="slack",
    title="Slack",
    address="https://slack.com/api",
    failure=_failure,
    whoami=("POST", "/auth.test"),
    who=("user", "team"),
)

POST_MESSAGE = Action(
    "POST",
    "/chat.postMessage",
    "channel! text blocks attachments thread_ts mrkdwn unfurl_links unfurl_media metadata",
)
UPDATE_MESSAGE = Action(
    "POST",
    "/chat.update",
    "channel! ts=thread_ts! text blocks attachments metadata",
    is_repeatable=True,
)
COMPLETE_UPLOAD = Action(
    "POST",
    "/files.completeUploadExternal",
    "files! channel_id=channel! initial_comment=text thread_ts",
)
UPLOAD_URL = Action("POST", "/files.getUploadURLExternal", "filename! length!", form="form")
OPEN_CHAT = Action("POST", "/conversations.open", "users!", is_repeatable=True)
USER_INFO = Action("GET", "/users.info", query="user!")

ACTIONS: dict[str, Action] = {
    "send_message": POST_MESSAGE,
    "send_file": COMPLETE_UPLOAD,
    "create_channel": Action("POST", "/conversations.create", "name=channel!"),
    "invite_users": Action("POST", "/conversations.invite", "channel! users!"),
    "get_user_info": USER_INFO,
    "get_channel_info": Action("GET", "/conversations.info", query="channel!"),
    "update_message": UPDATE_MESSAGE,
    "delete_message": Action("POST", "/chat.delete", "channel! ts=thread_ts!"),
    "set_channel_topic": Action(
        "POST", "/conversations.setTopic", "channel! topic=text!", is_repeatable=True
    ),
    "archive_channel": Action("POST", "/conversations.archive", "channel!"),
}

_CHANNELS = Action("GET", "/conversations.list", query="exclude_archived limit types cursor")
_USERS = Action("GET", "/users.list", query="limit cursor")


async def channel_id(slack: ServiceClient, channel: str) -> str:
    """The id of a channel named `#general` or `general`, of a chat with `@ada`, or given as id."""
    if _ID.fullmatch(channel):
        return channel
    if channel.startswith("@"):
        user = await user_id(slack, channel)
        opened = (await slack.do("conversations.open", OPEN_CHAT, {"users": user})).record
        chat = opened.get("channel")
        return str(chat["id"]) if isinstance(chat, dict) and "id" in chat else user
    name = channel.removeprefix("#")
    page: JsonObject = {
        "exclude_archived": True,
        "limit": 1000,
        "types": "public_channel,private_channel",
    }
    for one in await _listed(slack, _CHANNELS, "channels", page):
        if one.get("name") == name:
            return str(one["id"])
    raise NotFound(
        "SERVICE_NOT_FOUND",
        f"Slack shows this bot no channel called {channel!r}",
        hint="invite the bot to it, or give the channel's id, which begins with C",
    )


async def user_id(slack: ServiceClient, user: str) -> str:
    """The id of a person named `@ada`, or given as id. Raises `NotFound`: `SERVICE_NOT_FOUND`."""
    if _ID.fullmatch(user):
        return user
    name = user.removeprefix("@").lower()
    for one in await _listed(slack, _USERS, "members", {"limit": 1000}):
        profile = one.get("profile")
        shown = profile.get("display_name") if isinstance(profile, dict) else None
        if name in {str(one.get("name")).lower(), str(shown).lower()}:
            return str(one["id"])
    raise NotFound(
        "SERVICE_NOT_FOUND",
        f"Slack knows nobody called {user!r}",
        hint="give the person's id, which begins with U",
    )


async def _listed(
    slack: ServiceClient, action: Action, key: str, page: JsonObject
) -> list[JsonObject]:
    found: list[JsonObject] = []
    cursor: Json = None
    for _ in range(MAX_PAGES):
        told = (await slack.do(action.path.strip("/"), action, {**page, "cursor": cursor})).record
        some = told.get(key)
        found += [one for one in some if isinstance(one, dict)] if isinstance(some, list) else []
        details = told.get("response_metadata")
        cursor = details.get("next_cursor") if isinstance(details, dict) else None
        if not cursor:
            break
    return found
