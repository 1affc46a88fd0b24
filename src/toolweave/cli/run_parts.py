"""The model and tool calls of a step as lines, with tokens and cost."""

from collections.abc import Iterator

from toolweave.cli.sanitize import visible
from toolweave.json_text import Json, JsonObject, write

MAX_CHARS = 160


def part_lines(part: Json) -> Iterator[str]:
    """The lines for one part."""
    if not isinstance(part, dict):
        return
    match part.get("kind"):
        case "model":
            yield from _asked_for(part)
        case "tool":
            mark = "✗" if part.get("is_error") else "✓"
            yield f"{mark} {part.get('name')}: {_short(part.get('text'))}"
        case "pause":
            yield f"↻ {_short(part.get('message'))}  [{part.get('code')}]"
        case _:
            return


def usage_line(usage: JsonObject) -> str:
    """The tokens and cost of a run."""
    words = [f"{usage.get('input_tokens', 0)} tokens in, {usage.get('output_tokens', 0)} out"]
    cached, cost = usage.get("cached_tokens"), usage.get("cost_usd")
    if cached:
        words.append(f"{cached} cached")
    if isinstance(cost, int | float):
        words.append(f"{cost:.4f} USD")
    return ", ".join(words)


def _asked_for(part: JsonObject) -> Iterator[str]:
    message = part.get("message")
    wanted = message.get("wanted") if isinstance(message, dict) else None
    if not isinstance(wanted, list) or not wanted:
        yield f"{part.get('model')} answers"
        return
    for one in wanted:
        if isinstance(one, dict):
            yield f"▸ {one.get('name')} {_short(write(one.get('arguments')))}"


def _short(value: Json) -> str:
    text = visible(" ".join(str(value).split()), one_line=True)
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}…"
