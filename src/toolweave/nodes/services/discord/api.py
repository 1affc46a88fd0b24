"""Discord's REST API: its actions as data, and how it says no."""

from collections.abc import Iterator

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.catalog.spec import Field
from toolweave.json_text import Json
from toolweave.nodes.services._failures import http_failure
from toolweave.nodes.services._operation import Action, delete, post, put

SERVER_ID = Field(
    "server_id", "string", "Id of the server (guild): 17 to 20 digits.", required=True
)
_CHANNEL = "/channels/{channel_id}"
_MEMBER = "/guilds/{server_id}/members/{target_user_id}"
_MESSAGE = "content embeds message_reference allowed_mentions components tts"


def _failure(response: Response, value: Json) -> Failure | None:
    told = value if isinstance(value, dict) else {}
    words = [str(told["message"])] if told.get("message") else []
    words += _details(told.get("errors"))
    failure = http_failure(response, "; ".join(words))
    wait_s = told.get("retry_after")
    if failure is None or not isinstance(wait_s, int | float):
        return failure
    # The body is exact where the header is rounded.
    return Failure(failure.status, failure.words, float(wait_s))


def _details(errors: Json, place: str = "") -> Iterator[str]:
    if not isinstance(errors, dict):
        return
    told = errors.get("_errors")
    for one in told if isinstance(told, list) else []:
        if isinstance(one, dict):
            yield f"{place}: {one.get('message')}"
    for name, below in errors.items():
        if name != "_errors":
            yield from _details(below, f"{place}.{name}" if place else name)


DISCORD = Service(
    kind="discord",
    title="Discord",
    address="https://discord.com/api/v10",
    failure=_failure,
    headers={"authorization": "Bot {token}"},
    whoami=("GET", "/users/@me"),
    who=("username", "id"),
)

MESSAGE = post(f"{_CHANNEL}/messages", _MESSAGE)
OPEN_DM = Action("POST", "/users/@me/channels", "recipient_id=target_user_id!", is_repeatable=True)
THREAD_OF_MESSAGE = post(
    _CHANNEL + "/messages/{message_id}/threads", "name! auto_archive_duration rate_limit_per_user"
)
REMOVE_ROLE = Action("DELETE", _MEMBER + "/roles/{role_id}", is_repeatable=True)

ACTIONS: dict[str, Action] = {
    "send_message": MESSAGE,
    "send_file": MESSAGE,
    "create_channel": post(
        "/guilds/{server_id}/channels",
        "name! type topic parent_id=category_id permission_overwrites nsfw position "
        "rate_limit_per_user bitrate user_limit",
    ),
    "delete_channel": delete(_CHANNEL),
    "manage_roles": put(_MEMBER + "/roles/{role_id}"),
    "kick_member": delete(_MEMBER),
    "ban_member": put("/guilds/{server_id}/bans/{target_user_id}", "delete_message_seconds"),
    "create_invite": post(f"{_CHANNEL}/invites", "max_age max_uses temporary unique"),
    "send_dm": MESSAGE,
    "react_to_message": put(_CHANNEL + "/messages/{message_id}/reactions/{reaction_emoji}/@me"),
    "pin_message": put(_CHANNEL + "/messages/pins/{message_id}"),
    "create_thread": post(
        f"{_CHANNEL}/threads",
        "name! auto_archive_duration type invitable rate_limit_per_user",
    ),
    "manage_permissions": put(_CHANNEL + "/permissions/{overwrite_id}", "type! allow deny"),
    "send_webhook": post("/", "content embeds username avatar_url allowed_mentions tts"),
}
