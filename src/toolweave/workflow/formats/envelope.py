"""What is around a workflow in a file: its wrapping, what we set aside, the mark of its dialect."""

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.format import FORMAT_NAMES, FormatName

X = "x-toolweave"
DIALECT = "dialect"
WRAPPER = "workflow"


def unwrapped(document: Json) -> tuple[JsonObject, bool]:
    """The workflow's own object, and whether it was wrapped in `{meta, workflow}`."""
    if not isinstance(document, dict):
        return {}, False
    inner = document.get(WRAPPER)
    if isinstance(inner, dict) and not {"nodes", "flows"} & document.keys():
        return inner, True
    return document, False


def marked(document: Json, dialect: FormatName) -> Json:
    """A document that says of which dialect it is, for one that looks like another's."""
    inner, is_wrapped = unwrapped(document)
    if not inner or not isinstance(document, dict):
        return document
    aside = inner.get(X)
    told: JsonObject = {**(aside if isinstance(aside, dict) else {}), DIALECT: dialect}
    said: JsonObject = {**inner, X: told}
    return {**document, WRAPPER: said} if is_wrapped else said


def mark_of(inner: JsonObject) -> Json:
    """The dialect that a document says it is of; nothing for most."""
    aside = inner.get(X)
    dialect = aside.get(DIALECT) if isinstance(aside, dict) else None
    return dialect if dialect in FORMAT_NAMES else None


def unmarked(document: Json) -> Json:
    """The document without its mark, which says nothing about the workflow."""
    inner, is_wrapped = unwrapped(document)
    aside = inner.get(X)
    if mark_of(inner) is None or not isinstance(document, dict) or not isinstance(aside, dict):
        return document
    rest = {key: value for key, value in aside.items() if key != DIALECT}
    bare: JsonObject = {**inner, X: rest} if rest else bare_of(inner)
    return {**document, WRAPPER: bare} if is_wrapped else bare


def bare_of(item: JsonObject) -> JsonObject:
    """What a dialect's own system would see of an object: all but what we set aside."""
    return {key: value for key, value in item.items() if key != X} if X in item else item
