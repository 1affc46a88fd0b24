"""Short previews of values for messages."""

from toolweave.json_text import Json

MAX_SHOWN = 80
HIDDEN = "(hidden)"


def shown(value: Json) -> str:
    """Return `value` in at most 80 characters; objects and arrays by size only."""
    match value:
        case None:
            return "null"
        case str():
            text = repr(value[:MAX_SHOWN])
            is_whole = len(value) <= MAX_SHOWN and len(text) <= MAX_SHOWN
            return text if is_whole else f"{text[: MAX_SHOWN - 1]}…"
        case dict():
            return f"an object with {len(value)} key{'' if len(value) == 1 else 's'}"
        case list():
            return f"an array of {len(value)}"
        case number:
            return written(number)[:MAX_SHOWN]


def written(value: float) -> str:
    """A number or boolean as JSON writes it; whole numbers of any size."""
    return str(value).lower() if isinstance(value, bool) else repr(value)
