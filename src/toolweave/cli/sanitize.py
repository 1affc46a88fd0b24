"""Escape untrusted text: characters that would act on a terminal are shown as escapes."""

import unicodedata
from collections.abc import Callable

from toolweave.json_text import write


class _Named(dict[int, int | str]):
    """A translation table that escapes control, direction and invisible characters."""

    def __init__(self, spell: Callable[[int], str], *, keeps: str) -> None:
        super().__init__({ord(character): ord(character) for character in keeps})
        self._spell = spell

    def __missing__(self, number: int) -> int | str:
        acts = unicodedata.category(chr(number)) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        self[number] = self._spell(number) if acts else number
        return self[number]


def _escape(number: int) -> str:
    units = chr(number).encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


_TEXT = _Named("<U+{:04X}>".format, keeps="\n\t")
_LINE = _Named("<U+{:04X}>".format, keeps="")
_JSON = _Named(_escape, keeps="\n")


def visible(text: str, *, one_line: bool = False) -> str:
    """Escape untrusted `text` for a terminal; `one_line` also escapes line breaks."""
    return text.translate(_LINE if one_line else _TEXT)


def json_text(value: object) -> str:
    """`value` as indented JSON, safe to print on a terminal."""
    return write(value, pretty=True).translate(_JSON)
