"""What all AI_AGENT nodes share: the prompt that goes in and the answer that comes out."""

from toolweave.catalog.spec import Field

ATTACHED = ("TOOL", "MEMORY")

# Older names are accepted too: model_version, user_input, output.
PROMPT = Field(
    "user_prompt",
    "string",
    "What the model is asked, with the data it needs.",
    required=True,
    multiline=True,
    aliases=("user_input",),
)

CONTENT = Field(
    "content",
    "string",
    "The model's answer; JSON text where the system prompt asks for JSON.",
    required=True,
    aliases=("output",),
)
# Whom a node asks that is no provider's own.
WHO = (
    Field(
        "configured_model",
        "string",
        "Name of a model added with `toolweave models add`, or a provider; empty takes the "
        "default one.",
    ),
    Field(
        "model",
        "string",
        "The provider's name of the model; empty takes the configured one.",
        aliases=("model_version",),
    ),
)
# What any of them is asked for.
TASKS = (
    *("llm", "ai", "language model", "prompt", "agent", "summarise"),
    *("classify", "translate", "write", "extract", "answer"),
)

METADATA = Field("metadata", "object", "Model used, why it stopped, time taken.")
FUNCTION_CALLS = Field(
    "function_calls",
    "array",
    "Tools the model called: name, arguments, result.",
    items="object",
    members="[{name, arguments: any, result: any, is_error: boolean}]",
)

GUIDANCE = (
    "Give it tools and memory by naming TOOL and MEMORY nodes in attached_nodes, not by edges. "
    "When a later node needs fields, ask for JSON with exactly these names in system_prompt."
)


def model(default: str, options: tuple[str, ...]) -> Field:
    """The field that names the model."""
    return Field(
        "model",
        "string",
        f"Name of the model, e.g. {default}; names that are not listed work too.",
        default,
        required=True,
        options=options,
        is_open=True,
        aliases=("model_version",),
    )


def token_usage(*, required: bool = False) -> Field:
    """The field with what the answer cost."""
    return Field(
        "token_usage",
        "object",
        "Tokens used: input_tokens, output_tokens, total_tokens.",
        required=required,
        members="{input_tokens: integer, output_tokens: integer, total_tokens: integer, "
        "cached_tokens: any, cost_usd: any}",
    )
