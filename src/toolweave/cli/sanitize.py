"""Escape untrusted text: characters that would act on a terminal are shown as escapes."""

from toolweave.json_text import EscapeTable, printable, write

_TEXT = EscapeTable("<U+{:04X}>".format, keeps="\n\t")
_LINE = EscapeTable("<U+{:04X}>".format, keeps="")


def visible(text: str, *, one_line: bool = False) -> str:
    """Escape untrusted `text` for a terminal; `one_line` also escapes line breaks."""
    return text.translate(_LINE if one_line else _TEXT)


def json_text(value: object, *, pretty: bool = True) -> str:
    """`value` as JSON, indented or on one line, safe to print on a terminal."""
    return printable(write(value, pretty=pretty))
