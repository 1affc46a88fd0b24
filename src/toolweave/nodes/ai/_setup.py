"""What an AI node is configured to do, told in one way for all of them."""

from dataclasses import dataclass, field
from typing import Literal

from toolweave.catalog.resources.model import ModelTool, TextTask
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.agent import AgentLimits, ModelRetry

Choice = Literal["auto", "any", "none"]
_CHOICES: dict[str, Choice] = {
    "auto": "auto",
    "any": "any",
    "required": "any",
    "none": "none",
}
# One who works for half an hour has lost its way.
MAX_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything about an answer that is wanted."""

    prompt: str
    provider: str | None = None
    model: str | None = None
    system: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    extra: JsonObject = field(default_factory=dict[str, Json])
    # Addresses of pictures, and the kinds of media that are sent.
    pictures: tuple[str, ...] = ()
    media: tuple[str, ...] = ("image",)
    functions: tuple[ModelTool, ...] = ()
    choice: Choice = "auto"
    limits: AgentLimits = field(default_factory=lambda: AgentLimits(seconds=MAX_SECONDS))
    patience: ModelRetry = field(default_factory=ModelRetry)
    deadline_s: float | None = None
    wants_json: bool = False
    shape: JsonObject | None = None
    # Where the shape stands in the configuration.
    shape_at: tuple[str, ...] = ("output_schema",)
    text_task: TextTask | None = None
    corrections: int = 3
    extracts_code: bool = False
    finds_personal_data: bool = False
    streams: bool = False
    # A conversation of its own, and how many characters of earlier messages are sent.
    has_memory: bool = False
    compresses: bool = False
    max_context_chars: int | None = None
    # Answers kept for the same question, and for how long.
    keeps_answers_s: float | None = None


def functions_of(given: JsonObject) -> tuple[ModelTool, ...]:
    """Functions that a configuration declares, where that is switched on."""
    listed = given.get("functions")
    if given.get("enabled") is not True or not isinstance(listed, list):
        return ()
    return tuple(
        ModelTool(
            name=str(one["name"]),
            description=str(one.get("description") or ""),
            parameters=_parameters(one.get("parameters")),
        )
        for one in listed
        if isinstance(one, dict) and one.get("name")
    )


def choice_of(value: Json) -> Choice:
    """Whether the model may, must or must not use tools."""
    return _CHOICES.get(str(value or "auto").lower(), "auto")


def limits_of(given: JsonObject) -> AgentLimits:
    """Limits as a configuration says them; what it leaves out is as usual."""
    usual = AgentLimits(seconds=MAX_SECONDS)
    return AgentLimits(
        steps=_whole(given.get("max_steps")) or usual.steps,
        calls=_whole(given.get("max_calls")) or usual.calls,
        tokens=_whole(given.get("max_total_tokens")),
        seconds=number(given.get("max_seconds")) or usual.seconds,
    )


def number(value: Json) -> float | None:
    """A number above 0; nothing for everything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return float(value) if is_number and isinstance(value, int | float) else None


def _whole(value: Json) -> int | None:
    found = number(value)
    return None if found is None else int(found)


def _parameters(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {"type": "object", "properties": {}}
