"""TRIGGER.SLACK: start when something happens in a Slack workspace."""

from collections.abc import Mapping

from toolweave.catalog.node import NodeInput, Outcome
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services.slack.api import BOT_TOKEN
from toolweave.nodes.trigger._delivery import (
    Accepted,
    Delivery,
    Refused,
    at,
    holds_one,
    payload_of,
    text_at,
    texts,
)
from toolweave.nodes.trigger._outputs import started

EVENTS = terms(
    "message, app_mention, reaction_added, reaction_removed, channel_created, channel_deleted, "
    "member_joined_channel, member_left_channel, user_change, team_join, file_shared"
)


class SlackTrigger:
    """Starts a run for each event of a workspace that passes the filters."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="SLACK",
        summary="Start the workflow on events of a Slack workspace, such as messages.",
        effect="keyed",
        configurations=(
            Field(
                "workspace_id",
                "string",
                "Id of the workspace: T024BE7LD.",
                required=True,
                pattern=r"^[TE][A-Z0-9]+$",
            ),
            Field(
                "events",
                "array",
                "Events that start a run, by the names of Slack's Events API.",
                ["message", "app_mention"],
                required=True,
                options=EVENTS,
                items="string",
            ),
            Field(
                "channels",
                "array",
                "Channels that count, by name or id: [support, C024BE91L]; empty means all.",
                [],
                items="string",
            ),
            Field(
                "keywords",
                "array",
                "The text must hold one of these, in any case: [outage, urgent]; empty means any.",
                [],
                items="string",
            ),
            BOT_TOKEN,
        ),
        outputs=(
            Field("trigger_time", "string", "When the event arrived: 2026-03-02T09:30:00Z."),
            Field("execution_id", "string", "Id of this run."),
            Field("event_type", "string", "Which event it was.", options=EVENTS),
            Field("channel_id", "string", "Id of the channel; empty when there is none."),
            Field("channel_name", "string", "Name of the channel without #."),
            Field("user_id", "string", "Id of who caused it: U024BE7LH."),
            Field("user_name", "string", "Name of who caused it."),
            Field("message_text", "string", "Text of the message; empty for other events."),
            Field("thread_ts", "string", "Thread to reply in: 1722441600.000200; or empty."),
            Field("trigger_message", "string", "One line that says what started the run."),
            Field("slack_payload", "object", "Slack's whole event."),
        ),
        input_ports=(),
        tags=("trigger", "slack", "chat"),
        keywords=(
            *("slack", "message", "mention", "reaction", "emoji", "channel"),
            *("chat", "bot", "keyword", "member", "file"),
        ),
        examples=(
            Example(
                "Bot is mentioned",
                "Somebody calls the bot in one of two channels.",
                {
                    "workspace_id": "T024BE7LD",
                    "events": ["app_mention"],
                    "channels": ["general", "support"],
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
            Example(
                "Words of alarm",
                "Messages about an outage in the alert channel.",
                {
                    "workspace_id": "T024BE7LD",
                    "events": ["message"],
                    "channels": ["alerts"],
                    "keywords": ["outage", "urgent", "down"],
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
            Example(
                "Approval by reaction",
                "A reaction in the approvals channel; the payload says which emoji.",
                {
                    "workspace_id": "T024BE7LD",
                    "events": ["reaction_added"],
                    "channels": ["approvals"],
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
            Example(
                "Welcome newcomers",
                "Somebody joins the workspace.",
                {
                    "workspace_id": "T024BE7LD",
                    "events": ["team_join"],
                    "bot_token": "${vault:slack-bot-token}",
                },
            ),
        ),
    )

    def compute(self, given: NodeInput) -> Outcome:
        """The event."""
        workspace = given.text("workspace_id")
        known: JsonObject = {"trigger_message": f"Started by hand for workspace {workspace}"}
        return Outcome(started(self.spec, given, known))


# Messages that are somebody's words; the other subtypes report edits, joins and similar events.
_SPOKEN = frozenset({"", "file_share", "thread_broadcast", "me_message"})


def accepts(config: JsonObject, delivery: Delivery) -> Accepted:
    """The outputs for an event of the workspace that passes all filters."""
    payload = payload_of(delivery)
    event = at(payload, "event")
    if not isinstance(event, dict):
        return Refused("it holds no event")
    names = delivery.names
    if (reason := _refusal(config, payload, event, names)) is not None:
        return Refused(reason)
    kind, user, channel = text_at(event, "type"), _user(event), _channel(event)
    return {
        "trigger_time": delivery.received_at,
        "event_type": kind,
        "channel_id": channel,
        "channel_name": text_at(event, "channel.name") or names.get(channel, ""),
        "user_id": user,
        "user_name": text_at(event, "user.name") or names.get(user, ""),
        "message_text": text_at(event, "text"),
        "thread_ts": text_at(event, "thread_ts") or text_at(event, "ts"),
        "trigger_message": f"Slack event {kind}" + (f" in {channel}" if channel else ""),
        "slack_payload": payload,
    }


def _refusal(
    config: JsonObject, payload: JsonObject, event: JsonObject, known: Mapping[str, str]
) -> str | None:
    kind = text_at(event, "type")
    workspaces = {text_at(payload, "team_id"), text_at(payload, "enterprise_id")}
    if text_at(config, "workspace_id") not in workspaces:
        return "it is of another workspace"
    if kind not in texts(config.get("events")):
        return f"event {kind!r} is not among the events"
    # A workflow that answers in the channel would start itself for ever.
    if kind in {"message", "app_mention"} and event.get("bot_id"):
        return "a bot wrote it"
    if kind == "message" and text_at(event, "subtype") not in _SPOKEN:
        return f"it is a message of the kind {text_at(event, 'subtype')!r}"
    channels = {name.removeprefix("#") for name in texts(config.get("channels"))}
    channel = _channel(event)
    names = {channel, text_at(event, "channel.name"), known.get(channel)}
    if channels and not channels & names:
        return f"channel {channel!r} is not among the channels"
    if not holds_one(text_at(event, "text"), texts(config.get("keywords"))):
        return "it holds none of the keywords"
    return None


def ids_of(delivery: Delivery) -> tuple[str, str]:
    """The ids of the channel and of the person, whose names Slack does not tell."""
    event = at(payload_of(delivery), "event")
    return _channel(event), _user(event)


def _channel(event: Json) -> str:
    places = ("channel", "channel_id", "channel.id", "item.channel")
    return next((found for place in places if (found := text_at(event, place))), "")


def _user(event: Json) -> str:
    places = ("user", "user_id", "user.id")
    return next((found for place in places if (found := text_at(event, place))), "")


node = SlackTrigger()
