"""MEMORY.CONVERSATION_BUFFER: remember the last messages."""

from toolweave.catalog.node import NodeContext, Outcome
from toolweave.catalog.node_input import refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.memory._conversations import (
    Buffer,
    BufferLimits,
    Conversations,
    conversation_of,
)
from toolweave.nodes.memory._keys import Now
from toolweave.nodes.memory._storable_text import text_of

# Who sums up: no model is asked, so this is all it can be.
METHOD = "rules: the first sentence of each message"


class ConversationBuffer:
    """Keeps the last messages of a conversation, older ones as a summary."""

    spec = NodeSpec(
        type="MEMORY",
        subtype="CONVERSATION_BUFFER",
        summary="Remember the last messages of a conversation and sum up older ones.",
        effect="keyed",
        configurations=(
            Field("max_messages", "integer", "Most messages kept.", 50, minimum=1, maximum=1000),
            Field(
                "auto_summarize",
                "boolean",
                "Whether the oldest become a summary when fewer than 5 places (or half) are left; "
                "else the oldest is dropped when a new one finds no place.",
                True,
            ),
            Field(
                "summarize_count",
                "integer",
                "How many of the oldest messages go into the summary at a time.",
                10,
                minimum=1,
            ),
        ),
        inputs=(
            Field(
                "message",
                "string",
                "Message to add; without one the buffer is only read.",
                multiline=True,
            ),
            Field(
                "role",
                "string",
                "Who says it.",
                "user",
                options=("user", "assistant", "system"),
            ),
            Field(
                "metadata",
                "object",
                "Kept with the message; conversation_id in it joins nodes of a workflow into "
                "one conversation.",
            ),
        ),
        outputs=(
            Field(
                "messages",
                "array",
                "Messages kept, oldest first: role, content and metadata of each.",
                items="object",
            ),
            Field("total_messages", "integer", "How many are kept."),
            Field("buffer_full", "boolean", "Whether max_messages is reached."),
            Field("success", "boolean", "Whether it worked."),
            Field("summary", "string", "What older messages were about; empty at first."),
            Field(
                "summary_metadata",
                "object",
                "How many messages went into the summary, when, and by what method.",
            ),
        ),
        tags=("memory", "conversation", "chat"),
        keywords=(
            *("conversation", "history", "chat", "memory", "context"),
            *("messages", "remember", "summary", "dialogue", "session"),
        ),
        guidance="Attach it to an AI_AGENT node, or use it as a step of its own.",
        examples=(
            Example(
                "First message",
                "Adds what a customer says to an empty buffer.",
                {"max_messages": 30, "auto_summarize": True, "summarize_count": 5},
                {
                    "message": "I cannot sign in.",
                    "role": "user",
                    "metadata": {"channel": "chat"},
                },
                {
                    "messages": [
                        {
                            "role": "user",
                            "content": "I cannot sign in.",
                            "metadata": {"channel": "chat"},
                        }
                    ],
                    "total_messages": 1,
                    "buffer_full": False,
                    "success": True,
                    "summary": "",
                },
            ),
            Example(
                "Only the last word",
                "A buffer of one message is full at once.",
                {"max_messages": 1, "auto_summarize": False},
                {"message": "How can I help?", "role": "assistant"},
                {
                    "messages": [
                        {"role": "assistant", "content": "How can I help?", "metadata": {}}
                    ],
                    "total_messages": 1,
                    "buffer_full": True,
                    "success": True,
                    "summary": "",
                },
            ),
            Example(
                "Only read",
                "No message: gives what is there, which at first is nothing.",
                {"max_messages": 100},
                {},
                {
                    "messages": [],
                    "total_messages": 0,
                    "buffer_full": False,
                    "success": True,
                    "summary": "",
                },
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome:
        """Add the message, if there is one, and give what is kept."""
        given = context.given
        limits = BufferLimits(
            given.whole("max_messages"),
            given.flag("auto_summarize"),
            given.whole("summarize_count"),
        )
        conversation, text = _conversation(context), given.text("message")
        conversations = Conversations(context.resources.stores.database)
        if not text:
            return Outcome(_shown(await conversations.read(conversation), limits))
        message: JsonObject = {
            "role": given.text("role") or "user",
            "content": text,
            "metadata": given.record("metadata"),
        }
        text_of(message, "the message")
        now = Now(context.now().timestamp(), context.key)
        return Outcome(_shown(await conversations.add(conversation, message, limits, now), limits))


def _conversation(context: NodeContext) -> str:
    """The one its metadata names, shared by all nodes of the workflow; else the node's own."""
    named = context.given.record("metadata").get("conversation_id")
    workflow = context.run.workflow
    if named is None:
        return conversation_of("node", workflow, context.key.rpartition("/")[2])
    if isinstance(named, bool) or not isinstance(named, str | int) or named == "":
        message = "metadata.conversation_id is a text or a whole number"
        raise refused_at(("metadata", "conversation_id"), "NODE_INPUT_INVALID", message)
    text_of(named, "metadata.conversation_id")
    return conversation_of("conversation", workflow, str(named))


def _shown(buffer: Buffer, limits: BufferLimits) -> JsonObject:
    # A buffer that was made smaller shows the newest; the next message lets the others go.
    messages = buffer.messages[-limits.max_messages :]
    summary = buffer.summary
    return {
        "messages": messages,
        "total_messages": len(messages),
        "buffer_full": len(messages) >= limits.max_messages,
        "success": True,
        "summary": summary.text,
        "summary_metadata": {
            "method": METHOD,
            "messages_summarized": summary.messages,
            "summarized_at": summary.at,
        },
    }


node = ConversationBuffer()
