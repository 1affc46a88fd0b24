"""Text in, workflow out, and back: finds what a file is, and never raises on content."""

import json
from collections import Counter
from collections.abc import Callable

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.problems import Problem, pointer
from toolweave.workflow.formats import discover
from toolweave.workflow.formats.flow import MAX_BYTES as MAX_FLOW_BYTES
from toolweave.workflow.formats.format import Format, FormatName, Loaded
from toolweave.workflow.formats.yaml_text import read_yaml
from toolweave.workflow.model import Workflow, WorkflowId

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 100
YAML_ENDINGS = (".yaml", ".yml")


def load(text: str | bytes, *, name_hint: str | None = None) -> Loaded:
    """The workflow in a file's text, and everything that is odd about it.

    `name_hint` is the file's name, where there is one: it tells YAML from JSON in doubt.
    """
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        return _unreadable("WORKFLOW_NOT_JSON", f"not valid Unicode text: {error.reason}")
    if len(data) > MAX_BYTES:
        return _unreadable("WORKFLOW_TOO_LARGE", f"{len(data)} bytes; at most {MAX_BYTES} are read")
    try:
        document = _parsed(data.removeprefix(b"\xef\xbb\xbf"), name_hint or "")
    except Invalid as error:
        return _unreadable("WORKFLOW_NOT_JSON", error.message, str(error.facts.get("pointer", "")))
    loaded = read(document)
    if loaded.format != "flow" or len(data) <= MAX_FLOW_BYTES:
        return loaded
    problem = Problem(
        "WORKFLOW_TOO_LARGE",
        "",
        f"a flow of {len(data)} bytes; a flow file has at most {MAX_FLOW_BYTES}",
        "split it into several flows, or convert it to another form",
    )
    return Loaded(loaded.workflow, (problem, *loaded.problems), loaded.format, loaded.places)


def read(document: Json) -> Loaded:
    """The workflow in a JSON value, read in the dialect that is surest to know it."""
    formats = discover()
    scores = [format.recognises(document) for format in formats]
    best = max(scores)
    loaded = formats[scores.index(best)].read(document)
    if best > 0:
        return loaded
    problem = Problem(
        "WORKFLOW_UNKNOWN_DIALECT",
        "",
        "this is no workflow of a kind we know: there are no nodes",
        'a workflow is an object such as {"id": …, "name": …, "nodes": […], "connections": […]}',
    )
    return Loaded(loaded.workflow, (problem,), loaded.format, loaded.places)


def convert(workflow: Workflow, to: FormatName) -> Json:
    """The document for `workflow` in another dialect, or in the one it came from.

    Raises:
        Invalid: `FORMAT_UNKNOWN`.
    """
    return _named(to).write(workflow)


def dump(workflow: Workflow, to: FormatName) -> str:
    """`convert` as text: pretty, stable, with a newline at the end."""
    return json_text.write(convert(workflow, to), pretty=True) + "\n"


def _named(name: str) -> Format:
    formats = {format.name: format for format in discover()}
    for known, format in formats.items():
        if known == name:
            return format
    raise Invalid(
        "FORMAT_UNKNOWN",
        f"there is no workflow format {name!r}",
        hint=f"choose one of {', '.join(formats)}",
    )


def _unreadable(code: str, message: str, place: str = "") -> Loaded:
    hint = "a workflow is a JSON object, or YAML without aliases and tags"
    return Loaded(Workflow(WorkflowId(""), ""), (Problem(code, place, message, hint),))


def _parsed(data: bytes, name: str) -> Json:
    """The value in JSON or YAML text; where both refuse it, the likelier one says why."""
    looks_json = data.lstrip()[:1] in {b"{", b"["}
    is_yaml = name.lower().endswith(YAML_ENDINGS)
    if is_yaml and not looks_json:
        return read_yaml(data, max_depth=MAX_DEPTH)
    try:
        return _json(data)
    except Invalid:
        if looks_json and not is_yaml:
            raise
        # Any text is a YAML scalar; only a mapping or list is worth a look.
        document = _quietly(lambda: read_yaml(data, max_depth=MAX_DEPTH))
        if isinstance(document, dict | list):
            return document
        raise


def _quietly(read: Callable[[], Json]) -> Json:
    try:
        return read()
    except Invalid:
        return None


def _json(data: bytes) -> Json:
    try:
        return json_text.read(data, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    except Invalid as error:
        if "line" not in error.facts:
            error.facts["pointer"] = _duplicate(data)
        raise


def _duplicate(data: bytes) -> str:
    """Where an object has a key twice; nothing when that is not the fault."""
    try:
        document: object = json.loads(data, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return ""
    waiting: list[tuple[object, tuple[str | int, ...]]] = [(document, ())]
    while waiting:
        value, steps = waiting.pop()
        if isinstance(value, tuple):
            pairs: list[tuple[str, object]] = list(value)  # pyright: ignore[reportUnknownArgumentType] # of the hook
            twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
            if twice:
                return pointer(*steps, twice[0])
            waiting += [(item, (*steps, key)) for key, item in reversed(pairs)]
        elif isinstance(value, list):
            listed: list[object] = value  # pyright: ignore[reportUnknownVariableType] # of the parser
            waiting += [(item, (*steps, at)) for at, item in reversed(list(enumerate(listed)))]
    return ""
