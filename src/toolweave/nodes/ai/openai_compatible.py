"""AI_AGENT.OPENAI_COMPATIBLE: ask a model of your own: Ollama, vLLM, LM Studio and their like."""

from toolweave.catalog.node import NodeInput
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import JsonObject
from toolweave.nodes.ai._ai_node import AiNode
from toolweave.nodes.ai._ports import (
    ATTACHED,
    CONTENT,
    FUNCTION_CALLS,
    GUIDANCE,
    METADATA,
    PROMPT,
    token_usage,
)
from toolweave.nodes.ai._setup import Setup, limits_of
from toolweave.nodes.schema_setting import read_schema


def read_shape(given: NodeInput) -> JsonObject:
    """The schema of the answer; empty where any answer will do. Raises `NODE_INPUT_INVALID`."""
    return read_schema(given, "output_schema")


class OpenAiCompatible(AiNode):
    """Sends the prompt to a configured model that speaks the Chat Completions format."""

    spec = NodeSpec(
        type="AI_AGENT",
        subtype="OPENAI_COMPATIBLE",
        summary="Ask a model of your own through an OpenAI-compatible address, with tools.",
        # The tools it is given may act outside.
        effect="once",
        configurations=(
            Field(
                "configured_model",
                "string",
                "Name of a model added with `toolweave models add`; empty takes the first "
                "compatible one.",
            ),
            Field(
                "model",
                "string",
                "The server's own name of the model: qwen3:8b; empty takes the configured one.",
                aliases=("model_version",),
            ),
            Field(
                "system_prompt",
                "string",
                "Who the model is, what it must do and the form of its answer.",
                multiline=True,
            ),
            Field(
                "temperature",
                "float",
                "0 gives steady answers, higher values more varied ones.",
                minimum=0,
                maximum=2,
            ),
            Field("max_tokens", "integer", "Most tokens in the answer.", minimum=1),
            Field("parse_json", "boolean", "Whether the answer has to be JSON.", False),
            Field(
                "output_schema",
                "object",
                "JSON Schema that the answer must fit; the model gets it back with what does not.",
            ),
            Field(
                "limits",
                "object",
                "Where work with tools ends: max_steps, max_calls, max_total_tokens, max_seconds.",
                {"max_steps": 25, "max_calls": 50},
                members="{max_steps: integer 1..1000, max_calls: integer 1..10000, "
                "max_total_tokens: integer, max_seconds: number}",
            ),
            Field("enable_streaming", "boolean", "Show the answer while it is written.", False),
            Field("extra", "object", "Further fields of the request, as the server calls them."),
        ),
        inputs=(PROMPT,),
        outputs=(CONTENT, METADATA, token_usage(), FUNCTION_CALLS),
        tags=("ai", "llm", "local", "chat"),
        keywords=(
            *("ollama", "vllm", "lm studio", "local model", "self-hosted", "llama", "qwen"),
            *("mistral", "openrouter", "own model", "private model", "offline"),
        ),
        guidance=GUIDANCE,
        attached_nodes=ATTACHED,
        checks=(read_shape,),
        examples=(
            Example(
                "Stay in the house",
                "Sums up a letter with a model on this machine.",
                {
                    "configured_model": "ollama",
                    "model": "qwen3:8b",
                    "system_prompt": "Sum up the letter in two sentences.",
                },
                {"user_prompt": "Dear Ada, the lamps arrived on Monday, all ten of them."},
            ),
            Example(
                "Fields by a schema",
                "Gives JSON that is checked.",
                {
                    "system_prompt": "Read the order.",
                    "output_schema": {
                        "type": "object",
                        "required": ["item", "count"],
                        "properties": {
                            "item": {"type": "string"},
                            "count": {"type": "integer"},
                        },
                    },
                },
                {"user_prompt": "Three lamps, please."},
            ),
        ),
    )

    def setup(self, given: NodeInput) -> Setup:
        """Its configuration, as every AI node tells it."""
        shape = read_shape(given)
        return Setup(
            given.text("user_prompt"),
            provider=given.text("configured_model") or "compatible",
            model=given.text("model") or None,
            system=given.text("system_prompt"),
            temperature=None if given.value("temperature") is None else given.number("temperature"),
            max_tokens=None if given.value("max_tokens") is None else given.whole("max_tokens"),
            wants_json=given.flag("parse_json"),
            shape=shape or None,
            limits=limits_of(given.record("limits")),
            streams=given.flag("enable_streaming"),
            extra=given.record("extra"),
        )


node = OpenAiCompatible()
