"""Records as text: CSV and XML."""

import csv
import io
from collections.abc import Sequence

from toolweave import json_text
from toolweave.json_text import Json
from toolweave.patterns import pattern

_ELEMENT = pattern(r"(?!(?i:xml))[A-Za-z_][A-Za-z0-9_.-]*")
# What XML 1.0 cannot hold, not even escaped.
_UNSPEAKABLE = pattern(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


def to_csv(records: Sequence[Json]) -> str:
    """A header and a line a record; a value that is no plain one is written as JSON."""
    names = list(dict.fromkeys(name for record in records for name in _fields(record)))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if names:
        writer.writerow(names)
    for record in records:
        fields = _fields(record)
        writer.writerow([cell(fields.get(name)) for name in names])
    return text.getvalue()


def cell(value: Json) -> str:
    """A value as it stands in a cell; null is nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text.write(value)


def to_xml(records: Sequence[Json]) -> str:
    """`<records>` with a `<record>` each; lists repeat `<item>`."""
    pieces = ['<?xml version="1.0" encoding="UTF-8"?>\n<records>']
    for record in records:
        _element(pieces, "record", record)
    pieces.append("</records>")
    return "".join(pieces)


def _fields(record: Json) -> dict[str, Json]:
    return record if isinstance(record, dict) else {"value": record}


def _element(pieces: list[str], name: str, value: Json) -> None:
    opened, closed = _tags(name)
    pieces.append(opened)
    if isinstance(value, dict):
        for key, below in value.items():
            _element(pieces, key, below)
    elif isinstance(value, list):
        for item in value:
            _element(pieces, "item", item)
    else:
        pieces.append(_escaped(cell(value)))
    pieces.append(closed)


def _tags(name: str) -> tuple[str, str]:
    if _ELEMENT.fullmatch(name):
        return f"<{name}>", f"</{name}>"
    return f'<field name="{_escaped(name)}">', "</field>"


def _escaped(text: str) -> str:
    return _UNSPEAKABLE.sub("\ufffd", text).translate(_ESCAPES)
