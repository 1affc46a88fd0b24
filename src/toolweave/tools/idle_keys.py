"""Unknown keys that ask for nothing, so that a run without them is what their author wants."""

from toolweave.json_text import Json
from toolweave.tools.meaning import plain_word
from toolweave.tools.name_words import words_in

# Texts for no value, or for whatever a node does by itself.
_NEUTRAL = frozenset(
    {"", "none", "null", "nil", "undefined", "off", "no", "false", "disabled", "default"}
    | {"auto", "automatic", "inherit", "standard", "normal"}
)
# Words of keys about what is printed while a program runs, which a run records anyway.
_PRINTED = frozenset(
    {"verbose", "debug", "trace", "tracing", "log", "logs", "logging", "logger", "loglevel"}
    | {"verbosity", "quiet", "silent", "pretty"}
)


def asks_for_nothing(name: str, value: Json) -> bool:
    """Whether a key says nothing that a run could do: `compress: false`, `debug: true`."""
    if value is None or value is False:
        return True
    if isinstance(value, str) and plain_word(value) in _NEUTRAL:
        return True
    is_plain = isinstance(value, bool | int | float | str)
    return is_plain and not _PRINTED.isdisjoint({*words_in(name), plain_word(name)})


def is_empty(value: Json) -> bool:
    """Whether a value holds nothing, so that nothing is lost without it: null, `""`, `{}`, `[]`."""
    return value is None or (isinstance(value, str | dict | list) and not value)
