"""The lines of a block: which tool or workflow it names, and its parameters as YAML."""

from collections.abc import Sequence

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.workflow.yaml_text import read_yaml

MAX_DEPTH = 20
# What the parser could not read at all may still be plain lines; what it refuses may not.
NOT_YAML = "not YAML: "
# References to secrets, `${vault:name}`, are filled in.
_PLACEHOLDER = pattern(r"\{\{[^{}]+\}\}|\$\{(?!vault:|env:|input:)[^{}]+\}|<%=?[^%]+%>")
_PAIR = pattern(r"([^\s:#][^:]*):(?:[ \t]+(.*))?$")


def named(lines: Sequence[str], word: str) -> tuple[str, list[str]] | None:
    """What the first `word: NAME` line names, and the other lines; nothing without such a line."""
    for at, line in enumerate(lines):
        key, colon, rest = line.partition(":")
        if colon and key.rstrip() == word and rest.strip():
            return rest.strip().strip("\"'"), [*lines[:at], *lines[at + 1 :]]
    return None


def are_pairs(lines: Sequence[str]) -> bool:
    """Whether there are lines, and each is `name: value`."""
    written = [line for line in lines if line.strip()]
    return bool(written) and all(_PAIR.match(line) for line in written)


def read_parameters(lines: Sequence[str]) -> JsonObject:
    """The parameters of a block. Raises `Invalid`: `DOCUMENT_PARAMETERS_INVALID`."""
    text = "".join(f"{line}\n" for line in lines)
    if not text.strip():
        return {}
    try:
        found = read_yaml(text.encode("utf-8", "surrogateescape"), max_depth=MAX_DEPTH)
    except Invalid as error:
        if not error.message.startswith(NOT_YAML):
            raise _wrong(error.message) from None
        return _line_by_line(lines, error.message)
    if found is None:
        return {}
    return found if isinstance(found, dict) else _line_by_line(lines, "it is not a mapping")


def placeholder_in(value: Json) -> str | None:
    """The first placeholder of a template in the parameters of a block."""
    if isinstance(value, str):
        found = _PLACEHOLDER.search(value)
        return found[0] if found else None
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for one in items if (found := placeholder_in(one))), None)


def _line_by_line(lines: Sequence[str], why: str) -> JsonObject:
    """`key: value` on each line, where YAML makes nothing of it."""
    values: JsonObject = {}
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pair = _PAIR.match(line)
        if pair is None:
            raise _wrong(why)
        values[pair[1].strip()] = _value((pair[2] or "").strip())
    return values


def _value(text: str) -> Json:
    try:
        return json_text.read(text)
    except Invalid:
        return text


def _wrong(why: str) -> Invalid:
    return Invalid(
        "DOCUMENT_PARAMETERS_INVALID",
        f"the parameters of the block cannot be read: {why}",
        hint="write them as `name: value`, one on each line",
    )
