"""What the Slack node does for each of its operations."""

from functools import partial

from toolweave.catalog.node import NodeContext, NodeInput, Outcome
from toolweave.catalog.node_input import read_each, refused_at
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._attachments import attached
from toolweave.nodes.services._client import ServiceClient, ServiceResponse
from toolweave.nodes.services._operation import ServiceCall, build, missing
from toolweave.nodes.services.slack.api import (
    ACTIONS,
    UPLOAD_URL,
    USER_INFO,
    channel_id,
    user_id,
)
from toolweave.tools.value_preview import shown

# Methods that take a channel by its name as well as by its id.
_BY_NAME = frozenset({"send_message", "create_channel"})
# Actions that need what the node calls otherwise than Slack.
_FIELDS = {
    "set_channel_topic": {"text": "message"},
    "invite_users": {"users": "user_mentions"},
}


async def perform(context: NodeContext, slack: ServiceClient) -> Outcome:
    given = context.given
    name = given.text("action_type")
    values = await _values(context, slack, name)
    match name:
        case "send_file":
            answer, content = await _upload(context, slack, values)
        case "get_user_info":
            answer, content = await _user_info(slack, values), given.text("message")
        case _:
            answer = await slack.do(name, ACTIONS[name], values)
            content = str(values.get("text") or "")
    told = answer.record
    channel = told.get("channel")
    found = channel.get("id") if isinstance(channel, dict) else channel
    return Outcome(
        {
            "success": True,
            "action": name,
            "content": content,
            "message_ts": told.get("ts") or "",
            "channel_id": found or values.get("channel") or "",
            "error_message": "",
            "api_response": told,
        }
    )


async def _values(context: NodeContext, slack: ServiceClient, name: str) -> JsonObject:
    values = _written(context.given, name)
    people, channel = _people(context.given), str(values["channel"])
    if name not in {"create_channel", "get_user_info"} and (
        name not in _BY_NAME or channel.startswith("@")
    ):
        values["channel"] = await channel_id(slack, channel)
    if name == "invite_users":
        values["users"] = ",".join([await user_id(slack, one) for one in people])
    return values


def _written(given: NodeInput, name: str) -> JsonObject:
    """What is sent, with names where Slack wants ids; refused before Slack is asked for them."""
    people = _people(given)
    channel = given.text("channel_override") or given.text("channel")
    values: JsonObject = {
        "channel": channel.removeprefix("#") if name == "create_channel" else channel,
        "thread_ts": given.text("thread_ts") or None,
        "users": ",".join(people) if name == "invite_users" else None,
        "people": [*people],
        "text": given.text("message") or None,
    }
    if name.endswith("_message"):
        values |= _message(given, people)
    if name == "send_file":
        _described_files(given)
    elif name != "get_user_info":
        for wire, field in _FIELDS.get(name, {}).items():
            if not values[wire]:
                raise missing(field, name)
        build(name, ACTIONS[name], values)
    return values


def _people(given: NodeInput) -> list[str]:
    """The people to mention, invite or look up."""
    return [str(one) for one in given.listing("user_mentions")]


def _message(given: NodeInput, people: list[str]) -> JsonObject:
    form = given.text("message_format")
    mentions = " ".join(f"<@{one.removeprefix('@')}>" for one in people)
    text = " ".join(filter(None, (mentions, given.text("message"))))
    blocks: list[Json] = [*given.listing("blocks")]
    if blocks and mentions:
        blocks.append(_section(mentions))
    elif form == "blocks" and not blocks and text:
        blocks.append(_section(text))
    if given.text("action_type") == "send_message" and not (text or blocks):
        raise missing("message", "send_message")
    return {
        "text": text or None,
        "blocks": blocks or None,
        "attachments": [*given.listing("attachments")] or None,
        "mrkdwn": form != "text",
        "unfurl_links": given.flag("unfurl_links"),
        "unfurl_media": given.flag("unfurl_media"),
        "metadata": given.record("metadata") or None,
    }


def _section(text: str) -> JsonObject:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


async def _upload(
    context: NodeContext, slack: ServiceClient, values: JsonObject
) -> tuple[ServiceResponse, str]:
    """Slack's three steps: ask for a place, put the bytes there, say that it is done."""
    sent: list[Json] = []
    names: list[str] = []
    for one in _described_files(context.given):
        part = await attached(context, one, "attachments")
        asked: JsonObject = {"filename": part.filename, "length": len(part.data)}
        place = (await slack.do("files.getUploadURLExternal", UPLOAD_URL, asked)).record
        bytes_and_kind = (part.data, part.media_type)
        put = ServiceCall("POST", str(place.get("upload_url")), raw=bytes_and_kind, has_json=False)
        await slack.send("the upload", put)
        title = one.get("title")
        sent.append({"id": place.get("file_id"), "title": title or part.filename})
        names.append(part.filename)
    answer = await slack.do("send_file", ACTIONS["send_file"], {**values, "files": sent})
    return answer, ", ".join(names)


def _described_files(given: NodeInput) -> list[JsonObject]:
    files = given.listing("attachments")
    if not files:
        raise missing("attachments", "send_file")
    return read_each(partial(_described, one, at) for at, one in enumerate(files))


def _described(one: Json, at: int) -> JsonObject:
    if isinstance(one, dict):
        return one
    raise refused_at(("attachments", at), "SERVICE_FIELD_INVALID", f"{shown(one)} is no object")


async def _user_info(slack: ServiceClient, values: JsonObject) -> ServiceResponse:
    people = values["people"]
    assert isinstance(people, list)
    wanted = [str(one) for one in people] or [str(values["channel"])]
    ids = [await user_id(slack, one) for one in wanted]
    answers = [await slack.do("get_user_info", USER_INFO, {"user": one}) for one in ids]
    if len(answers) == 1:
        return answers[0]
    return ServiceResponse({"ok": True, "users": [answer.record.get("user") for answer in answers]})
