"""AI_AGENT.GOOGLE_GEMINI: ask a Gemini model."""

from toolweave.catalog.node import NodeInput
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.ai._ai_node import AiNode
from toolweave.nodes.ai._media import addresses
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
from toolweave.nodes.ai._setup import Setup, choice_of, functions_of, limits_of

# The input alone.
FRAME = "{{ user_prompt }}"
MODELS = ("gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite")
_MEDIA = {"image": "enable_vision", "audio": "enable_audio", "video": "enable_video"}
_HARMS = (
    *("harassment", "hate_speech", "sexually_explicit", "dangerous_content", "civic_integrity"),
)
_THRESHOLDS = "BLOCK_NONE|BLOCK_ONLY_HIGH|BLOCK_MEDIUM_AND_ABOVE|BLOCK_LOW_AND_ABOVE|OFF"
_GENERATION = {
    "max_output_tokens": "maxOutputTokens",
    "top_p": "topP",
    "top_k": "topK",
    "candidate_count": "candidateCount",
    "stop_sequences": "stopSequences",
}


class GoogleGemini(AiNode):
    """Sends the prompt and pictures to a Gemini model and gives its answer."""

    spec = NodeSpec(
        type="AI_AGENT",
        subtype="GOOGLE_GEMINI",
        summary="Ask a Gemini model to work on text and pictures, or to use tools.",
        # The tools it is given may act outside.
        effect="once",
        configurations=(
            model("gemini-2.5-flash", MODELS),
            Field(
                "system_prompt",
                "string",
                "Who the model is, what it must do and the form of its answer.",
                multiline=True,
            ),
            Field(
                "user_prompt",
                "string",
                "Frame of the prompt; {{ user_prompt }} stands for the input of that name.",
                FRAME,
                required=True,
                multiline=True,
            ),
            Field(
                "generation_config",
                "object",
                "max_output_tokens, temperature (0-2), top_p, top_k, candidate_count, "
                "stop_sequences.",
                {
                    "max_output_tokens": 8192,
                    "temperature": 0.7,
                    "top_p": 0.95,
                    "top_k": 40,
                    "candidate_count": 1,
                    "stop_sequences": [],
                },
                members="{max_output_tokens: integer 1..1000000, temperature: number 0..2, "
                "top_p: number 0..1, top_k: integer 1..1000, candidate_count: integer "
                "1..8, stop_sequences: [string], seed: integer, presence_penalty: "
                "number -2..2, frequency_penalty: number -2..2, response_mime_type, "
                "response_schema: object}",
            ),
            Field(
                "safety_settings",
                "object",
                "Threshold by kind of harm: BLOCK_NONE, BLOCK_ONLY_HIGH, BLOCK_MEDIUM_AND_ABOVE or "
                "BLOCK_LOW_AND_ABOVE.",
                {
                    "harassment": "BLOCK_MEDIUM_AND_ABOVE",
                    "hate_speech": "BLOCK_MEDIUM_AND_ABOVE",
                    "sexually_explicit": "BLOCK_MEDIUM_AND_ABOVE",
                    "dangerous_content": "BLOCK_MEDIUM_AND_ABOVE",
                },
                members=f"{{{', '.join(f'{one}: {_THRESHOLDS}' for one in _HARMS)}}}",
            ),
            Field(
                "multimodal_config",
                "object",
                "What besides text is read: enable_vision, enable_audio, enable_video.",
                {"enable_vision": True, "enable_audio": False, "enable_video": False},
                members="{enable_vision: boolean, enable_audio: boolean, enable_video: boolean}",
            ),
            Field(
                "function_calling",
                "object",
                "Tools besides the attached ones: enabled, functions (name, description, "
                "parameters), function_calling_mode.",
                {"enabled": False, "functions": [], "function_calling_mode": "AUTO"},
                members="{enabled: boolean, functions: [{name*, description, parameters: "
                "object, …}], function_calling_mode: AUTO|ANY|NONE|auto|any|none, "
                "max_steps: integer 1..1000, max_calls: integer 1..10000, "
                "max_total_tokens: integer, max_seconds: number}",
            ),
        ),
        inputs=(
            PROMPT,
            Field(
                "images",
                "array",
                "Pictures as https or data addresses: [https://example.com/chart.png].",
                [],
            ),
        ),
        outputs=(CONTENT, METADATA, token_usage(), FUNCTION_CALLS),
        tags=("ai", "llm", "google", "multimodal"),
        keywords=("gemini", "google", "image", "vision", "multimodal", *TASKS),
        guidance=GUIDANCE,
        attached_nodes=ATTACHED,
        examples=(
            Example(
                "Describe a product",
                "Puts the input into a fixed frame.",
                {
                    "model": "gemini-2.5-flash",
                    "system_prompt": "You write for a lamp shop: plain, friendly, true.",
                    "user_prompt": "Write 60 words about this lamp: {{ user_prompt }}",
                    "generation_config": {"max_output_tokens": 300, "temperature": 0.9},
                },
                {"user_prompt": "Aurora, dimmable, 16 million colours, obeys voice"},
            ),
            Example(
                "Read a receipt",
                "Takes date and sum out of a picture, as JSON.",
                {
                    "model": "gemini-2.5-pro",
                    "system_prompt": 'Answer with JSON only: {"date": string, "total": number}.',
                    "user_prompt": "{{ user_prompt }}",
                    "generation_config": {"temperature": 0},
                },
                {
                    "user_prompt": "What was paid, and when?",
                    "images": ["https://files.example.com/receipt-0815.jpg"],
                },
            ),
        ),
    )

    def setup(self, given: NodeInput) -> Setup:
        """Its configuration, as every AI node tells it."""
        generation, calling = given.record("generation_config"), given.record("function_calling")
        chosen = given.record("multimodal_config")
        media = tuple(kind for kind, flag in _MEDIA.items() if chosen.get(flag) is True)
        return Setup(
            _prompt(given),
            provider="gemini",
            model=given.text("model") or None,
            system=given.text("system_prompt"),
            extra={"generationConfig": _generation(generation), **_safety(given)},
            pictures=addresses(given, "images", media),
            media=media,
            functions=functions_of(calling),
            choice=choice_of(calling.get("function_calling_mode")),
            limits=limits_of(calling),
        )


def _prompt(given: NodeInput) -> str:
    """The frame, in which the input is filled already; a default is not."""
    frame = str(given.config["user_prompt"])
    return str(given.inputs.get("user_prompt", "")) if frame == FRAME else frame


def _generation(given: JsonObject) -> JsonObject:
    named = {_GENERATION.get(name, name): value for name, value in given.items()}
    return {name: value for name, value in named.items() if value not in (None, [])}


def _safety(given: NodeInput) -> JsonObject:
    settings: list[Json] = [
        {"category": f"HARM_CATEGORY_{kind.upper()}", "threshold": threshold}
        for kind, threshold in given.record("safety_settings").items()
    ]
    return {"safetySettings": settings} if settings else {}


node = GoogleGemini()
