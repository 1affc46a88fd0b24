"""Texts as every store can keep them, and what is too much for any."""

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.settings import MIB

MAX_KEY_BYTES = 1024
MAX_VALUE_BYTES = 16 * MIB


def text_of(value: Json, what: str = "the value") -> str:
    """`value` as JSON text that can be read again. Raises `Invalid`: `MEMORY_VALUE_INVALID`."""
    try:
        text = json_text.write(value)
        json_text.read(text, max_bytes=MAX_VALUE_BYTES)
    except (Invalid, TypeError) as error:
        raise Invalid("MEMORY_VALUE_INVALID", f"{what} cannot be kept: {error}") from None
    return text


def escaped(text: str, what: str = "the key") -> str:
    """`text` as JSON writes it, without quotes: no NUL is left, and prefixes stay prefixes."""
    try:
        written = json_text.write(text)[1:-1]
    except TypeError:
        raise Invalid("MEMORY_KEY_INVALID", f"{what} is not valid Unicode text") from None
    if len(written.encode()) > MAX_KEY_BYTES:
        raise Invalid(
            "MEMORY_KEY_INVALID",
            f"{what} {text[:40]!r}… has more than {MAX_KEY_BYTES} bytes",
            hint="use a shorter one, such as a hash of it",
        )
    return written


def unescaped(text: str) -> str:
    """The text that `escaped` made this of."""
    return str(json_text.read(f'"{text}"'))
