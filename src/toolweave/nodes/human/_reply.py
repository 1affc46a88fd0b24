"""What all HUMAN_IN_THE_LOOP nodes share: what goes in, what comes out, and the four ways on."""

from toolweave.catalog.spec import Field, Port

PORTS = (
    Port("confirmed", "The person agreed."),
    Port("rejected", "The person declined."),
    Port("unrelated", "The reply neither agrees nor declines."),
    Port("timeout", "No reply came in time."),
)

INPUTS = (
    Field("content", "any", 'What the person is to judge: {"amount": 250, "for": "chairs"}.'),
    Field("user_mention", "string", "Whom to address in the message: @ada or ada@example.com."),
)

OUTPUTS = (
    Field("content", "any", "The content that went in, unchanged."),
    Field(
        "ai_classification",
        "string",
        "What the reply means; the same as the port it leaves by.",
        options=tuple(port.name for port in PORTS),
    ),
    Field("user_response", "string", "The reply in the person's own words; empty after a timeout."),
)

ANSWERS = Field(
    "answers",
    "array",
    "Every reply: by, via, at, text, whether it counted, and how it was read.",
)

ANALYSIS_MODEL = Field(
    "ai_analysis_model",
    "string",
    "Model that reads the reply; without a configured model, buttons and yes/no words decide.",
    "gpt-5-mini",
    options=("gpt-5-mini", "gpt-5-nano"),
    is_open=True,
)

GUIDANCE = (
    "The reply is analysed inside this node: connect what follows to confirmed, rejected, "
    "unrelated and timeout. Do not add IF or AI_AGENT after it to find out what the person meant."
)


def confirmations(how: str) -> Field:
    """The field with the words that answer the person's reply."""
    return Field(
        "confirmation_messages",
        "object",
        f"{how}, by outcome: confirmed, rejected, unrelated, timeout.",
        {
            "confirmed": "Thank you. Your approval is noted.",
            "rejected": "Thank you. It will not go ahead.",
            "unrelated": "Please answer yes or no.",
            "timeout": "The time to answer is over.",
        },
        members="{confirmed, rejected, unrelated, timeout, reminder}",
    )


def analysis_prompt(name: str) -> Field:
    """The field with extra words for the model that reads the reply."""
    return Field(
        name,
        "string",
        "Extra advice for reading the reply, e.g. 'Later' counts as a rejection; may be empty.",
        multiline=True,
    )


def response_timeout(default: int, minimum: int) -> Field:
    """The field that says how long to wait, up to a week."""
    return Field(
        "response_timeout",
        "integer",
        "Seconds to wait for a reply, e.g. 86400 for a day.",
        default,
        minimum=minimum,
        maximum=604_800,
    )
