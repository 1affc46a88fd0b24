"""A value as a message shows it: short, so that no message carries a document or a secret far."""

from toolweave import json_text
from toolweave.json_text import Json

MAX_SHOWN = 80
HIDDEN = "(hidden)"


def shown(value: Json) -> str:
    """`value` in at most about 80 characters; of objects and arrays only what they are."""
    match value:
        case str():
            return (
                repr(value)
                if len(value) <= MAX_SHOWN - 2
                else f"{value[: MAX_SHOWN - 4]!r}…"[:MAX_SHOWN]
            )
        case dict():
            return (
                f"an object with {len(value)} keys" if len(value) != 1 else "an object with 1 key"
            )
        case list():
            return f"an array of {len(value)}"
        case _:
            return json_text.write(value)[:MAX_SHOWN]
