"""The many configurations of AI_AGENT.ANTHROPIC_CLAUDE, told as every AI node tells them."""

import re

from toolweave.catalog.node import NodeInput
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.agent import RULES, ModelRetry
from toolweave.nodes.ai._media import addresses_in
from toolweave.nodes.ai._setup import Setup, choice_of, functions_of, limits_of, number

# About what a token is, where nobody counts.
CHARS_PER_TOKEN = 4
LONG_CACHE_S = 300
_GUARDS = {
    "content_filtering": "Do not write sexual, violent or hateful content.",
    "harmful_content_detection": "Refuse to help with what would harm people, and say so.",
    "pii_detection": "Do not repeat personal data such as names, addresses and numbers of people.",
}
_DETAILS = {
    "low": "Read the pictures only for what they are about.",
    "high": "Read the pictures closely, small print and details included.",
}


def claude_setup(given: NodeInput) -> Setup:
    """What is wanted."""
    vision, calling = given.record("multimodal_config"), given.record("function_calling")
    processing, saving = given.record("output_processing"), given.record("cost_optimization")
    performance, context = given.record("performance_config"), given.record("context_management")
    prompt = given.text("user_prompt")
    system = _system(given, vision)
    if saving.get("prompt_compression") is True:
        prompt, system = _compressed(prompt), _compressed(system)
    shape = _shape(processing)
    context_tokens = number(context.get("max_context_length"))
    top_p = given.value("top_p")
    return Setup(
        prompt,
        provider="anthropic",
        model=given.text("model") or None,
        system=system,
        max_tokens=_max_tokens(given, saving),
        # The provider takes one of both.
        temperature=None if top_p is not None else given.number("temperature"),
        top_p=given.number("top_p") if top_p is not None else None,
        extra=_cached(system, given, saving),
        pictures=_pictures(prompt, vision),
        functions=functions_of(calling),
        choice=choice_of(calling.get("function_choice")),
        limits=limits_of(calling),
        patience=_patience(performance),
        deadline_s=number(performance.get("timeout_seconds")),
        wants_json=processing.get("parse_json") is True,
        shape=shape,
        shape_at=("output_processing", "output_schema"),
        extracts_code=processing.get("extract_code") is True,
        finds_personal_data=given.record("safety_config").get("pii_detection") is True,
        streams=processing.get("enable_streaming") is True,
        has_memory=context.get("enable_memory") is True,
        compresses=context.get("context_compression") is True,
        max_context_chars=int(context_tokens * CHARS_PER_TOKEN) if context_tokens else None,
        keeps_answers_s=_kept_s(performance, saving),
    )


def _system(given: NodeInput, vision: JsonObject) -> str:
    safety = given.record("safety_config")
    lines = [given.text("system_prompt")]
    lines += [words for flag, words in _GUARDS.items() if safety.get(flag) is True]
    lines.append(str(safety.get("custom_safety_guidelines") or ""))
    if vision.get("enable_vision") is True:
        lines.append(_DETAILS.get(str(vision.get("image_detail")), ""))
    return "\n".join(line for line in lines if line)


def _pictures(prompt: str, vision: JsonObject) -> tuple[str, ...]:
    if vision.get("enable_vision") is not True:
        return ()
    listed = vision.get("supported_formats")
    formats = [str(one) for one in listed] if isinstance(listed, list) else ["jpeg", "png"]
    return addresses_in(prompt, formats, int(number(vision.get("max_images")) or 5))


def _shape(processing: JsonObject) -> JsonObject | None:
    shape = processing.get("output_schema")
    wanted = processing.get("validate_output") is True and isinstance(shape, dict) and shape
    return shape if wanted and isinstance(shape, dict) else None


def _max_tokens(given: NodeInput, saving: JsonObject) -> int:
    limit = number(saving.get("output_length_limit"))
    most = given.whole("max_tokens")
    return most if limit is None else min(most, int(limit))


def _cached(system: str, given: NodeInput, saving: JsonObject) -> JsonObject:
    """Let the provider keep the fixed part of the prompt."""
    if saving.get("enable_caching") is not True or not system:
        return {}
    has_tools = any(one.ref.startswith("TOOL.") for one in given.attached)
    text = f"{system}\n\n{RULES}" if has_tools else system
    ttl = "1h" if (number(saving.get("cache_ttl")) or 0) > LONG_CACHE_S else "5m"
    control: JsonObject = {"type": "ephemeral", "ttl": ttl}
    blocks: list[Json] = [{"type": "text", "text": text, "cache_control": control}]
    return {"system": blocks}


def _patience(performance: JsonObject) -> ModelRetry:
    attempts = performance.get("retry_attempts")
    return ModelRetry(
        attempts=attempts if isinstance(attempts, int) and attempts >= 0 else 3,
        wait_s=number(performance.get("retry_delay")) or 1.0,
        grows=performance.get("exponential_backoff") is not False,
    )


def _kept_s(performance: JsonObject, saving: JsonObject) -> float | None:
    if performance.get("cache_responses") is not True:
        return None
    return number(saving.get("cache_ttl")) or 3600.0


def _compressed(text: str) -> str:
    """The same words in fewer characters: runs of blanks and empty lines say nothing."""
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
