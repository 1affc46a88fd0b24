"""MEMORY.CONVERSATION_BUFFER: remember the last messages."""

from toolweave.catalog.spec import Example, Field, NodeSpec


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
                "Whether the oldest become a summary when fewer than 5 places are left; else "
                "the oldest is dropped when a new one finds no place.",
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
            Field("metadata", "object", 'Kept with the message: {"channel": "chat"}.'),
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
                "summary_metadata", "object", "How many messages went into the summary, and when."
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


node = ConversationBuffer()
