"""AI_AGENT.ANTHROPIC_CLAUDE: ask a Claude model."""

from toolweave.catalog.node import NodeInput
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.nodes.ai._ai_node import AiNode
from toolweave.nodes.ai._claude_setup import claude_setup
from toolweave.nodes.ai._ports import (
    ATTACHED,
    CONTENT,
    FUNCTION_CALLS,
    GUIDANCE,
    METADATA,
    PROMPT,
    TASKS,
    model,
    token_usage,
)
from toolweave.nodes.ai._setup import Setup

MODELS = ("claude-sonnet-4-5-20250929", "claude-3-5-haiku-20241022")


class AnthropicClaude(AiNode):
    """Sends the prompt to a Claude model and gives its answer."""

    spec = NodeSpec(
        type="AI_AGENT",
        subtype="ANTHROPIC_CLAUDE",
        summary="Ask a Claude model to reason, write, review code, read pictures or use tools.",
        # The tools it is given may act outside.
        effect="once",
        configurations=(
            model("claude-sonnet-4-5-20250929", MODELS),
            Field(
                "system_prompt",
                "string",
                "Who the model is, what it must do and the form of its answer.",
                multiline=True,
            ),
            Field("max_tokens", "integer", "Most tokens in the answer.", 8192, minimum=1),
            Field(
                "temperature",
                "float",
                "0 gives steady answers, higher values more varied ones.",
                0.7,
                minimum=0,
                maximum=1,
            ),
            Field(
                "top_p",
                "float",
                "Share of likely words to choose from; give it only in place of temperature.",
                minimum=0,
                maximum=1,
            ),
            Field(
                "multimodal_config",
                "object",
                "enable_vision reads pictures whose addresses are in the prompt; max_images, "
                "image_detail, supported_formats.",
                {
                    "enable_vision": False,
                    "max_images": 5,
                    "image_detail": "auto",
                    "supported_formats": ["jpeg", "png", "gif", "webp"],
                },
                members="{enable_vision: boolean, max_images: integer 1..100, image_detail: "
                "auto|low|high, supported_formats: [jpeg|jpg|png|gif|webp]}",
            ),
            Field(
                "function_calling",
                "object",
                "Tools besides the attached ones: enabled, functions (name, description, "
                "parameters), function_choice.",
                {"enabled": False, "functions": [], "function_choice": "auto"},
                members="{enabled: boolean, functions: [{name*, description, parameters: "
                "object, …}], function_choice: auto|any|none, max_steps: integer 1..1000, "
                "max_calls: integer 1..10000, max_total_tokens: integer, max_seconds: number}",
            ),
            Field(
                "context_management",
                "object",
                "Earlier messages: enable_memory, memory_type, max_context_length, "
                "context_compression.",
                {
                    "enable_memory": False,
                    "memory_type": "conversation",
                    "max_context_length": 100_000,
                    "context_compression": False,
                },
                members="{enable_memory: boolean, memory_type, max_context_length: integer, "
                "context_compression: boolean}",
            ),
            Field(
                "output_processing",
                "object",
                "What happens to the answer: enable_streaming, parse_json, extract_code, "
                "validate_output, output_schema.",
                {
                    "enable_streaming": False,
                    "parse_json": False,
                    "extract_code": False,
                    "validate_output": False,
                    "output_schema": {},
                },
                members="{enable_streaming: boolean, parse_json: boolean, extract_code: "
                "boolean, validate_output: boolean, output_schema: object}",
            ),
            Field(
                "safety_config",
                "object",
                "Further guards: content_filtering, harmful_content_detection, pii_detection, "
                "custom_safety_guidelines.",
                {
                    "content_filtering": True,
                    "harmful_content_detection": True,
                    "pii_detection": False,
                    "custom_safety_guidelines": "",
                },
                members="{content_filtering: boolean, harmful_content_detection: boolean, "
                "pii_detection: boolean, custom_safety_guidelines}",
            ),
            Field(
                "performance_config",
                "object",
                "Per request: timeout_seconds, retry_attempts, retry_delay, exponential_backoff, "
                "cache_responses.",
                {
                    "timeout_seconds": 120,
                    "retry_attempts": 3,
                    "retry_delay": 1.0,
                    "exponential_backoff": True,
                    "cache_responses": False,
                },
                members="{timeout_seconds: number 1..3600, retry_attempts: integer 0..10, "
                "retry_delay: number 0..600, exponential_backoff: boolean, "
                "cache_responses: boolean}",
            ),
            Field(
                "cost_optimization",
                "object",
                "Ways to spend less: enable_caching, cache_ttl in seconds, prompt_compression, "
                "output_length_limit (-1: none).",
                {
                    "enable_caching": False,
                    "cache_ttl": 3600,
                    "prompt_compression": False,
                    "output_length_limit": -1,
                },
                members="{enable_caching: boolean, cache_ttl: integer, prompt_compression: "
                "boolean, output_length_limit: integer}",
            ),
        ),
        inputs=(PROMPT,),
        outputs=(CONTENT, METADATA, token_usage(required=True), FUNCTION_CALLS),
        tags=("ai", "llm", "anthropic", "chat"),
        keywords=("claude", "anthropic", "reasoning", "code review", "vision", *TASKS),
        guidance=GUIDANCE,
        attached_nodes=ATTACHED,
        examples=(
            Example(
                "Review a change",
                "Gives findings as JSON that is checked against a schema.",
                {
                    "model": "claude-sonnet-4-5-20250929",
                    "system_prompt": (
                        "Review the diff for faults and security. Answer with JSON: "
                        '{"verdict": "ok|fix", "findings": [string]}.'
                    ),
                    "temperature": 0.2,
                    "output_processing": {
                        "parse_json": True,
                        "validate_output": True,
                        "output_schema": {
                            "type": "object",
                            "required": ["verdict"],
                            "properties": {
                                "verdict": {"enum": ["ok", "fix"]},
                                "findings": {"type": "array", "items": {"type": "string"}},
                            },
                        },
                    },
                },
                {"user_prompt": "--- a/cart.py\n+++ b/cart.py\n+    total = eval(price)"},
            ),
            Example(
                "Read a chart",
                "Describes what a picture shows.",
                {
                    "model": "claude-sonnet-4-5-20250929",
                    "system_prompt": "Describe the chart in three sentences with its numbers.",
                    "max_tokens": 600,
                    "multimodal_config": {"enable_vision": True, "max_images": 1},
                },
                {"user_prompt": "https://files.example.com/revenue-2026-q1.png"},
            ),
            Example(
                "Sum up cheaply",
                "Takes a small model and caches the fixed part of the prompt.",
                {
                    "model": "claude-3-5-haiku-20241022",
                    "system_prompt": "Sum up the minutes in five bullet points.",
                    "cost_optimization": {"enable_caching": True, "cache_ttl": 3600},
                },
                {"user_prompt": "Ada: search ships on Tuesday. Grace: the tests are green."},
            ),
        ),
    )

    def setup(self, given: NodeInput) -> Setup:
        """Its configuration, as every AI node tells it."""
        return claude_setup(given)


node = AnthropicClaude()
