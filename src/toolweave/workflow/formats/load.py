"""Text in, workflow out, and back: finds what a file is, and never raises on content."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain, compress
from typing import cast

import orjson

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.workflow.collection_pause import paused_collection
from toolweave.workflow.file_names import YAML_ENDINGS
from toolweave.workflow.formats import discover
from toolweave.workflow.formats.envelope import X, marked
from toolweave.workflow.formats.fields import shown
from toolweave.workflow.formats.flow import MAX_BYTES as MAX_FLOW_BYTES
from toolweave.workflow.formats.foreign_systems import foreign_file
from toolweave.workflow.formats.format import Format, FormatName, LoadedWorkflow
from toolweave.workflow.formats.lossless import remembers
from toolweave.workflow.formats.plain_document import is_plain, read_plain
from toolweave.workflow.formats.reshape import original_place, reshaped
from toolweave.workflow.formats.surroundings import corrected, unwrapped
from toolweave.workflow.model import Workflow, WorkflowId

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 100
DEEPER = 16
# A file of a few bytes for each line is hundreds of times as long when indented.
MAX_INDENTED = 64 * 1024
_CONTAINERS = frozenset({dict, list})
_LONG_NUMBER = pattern(rb"[:,\[\s]-?[0-9]{19,}[\s,\]}]")
_LONG = b"0" * 19
_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")


def load(
    text: str | bytes, *, name_hint: str | None = None, is_generated: bool = False
) -> LoadedWorkflow:
    """The workflow in a file's text, and everything that is odd about it.

    `name_hint` is the file's name, if any: it distinguishes YAML from JSON. What we generated
    ourselves (`is_generated`) has no foreign forms to correct.
    """
    with paused_collection():
        return _load(text, name_hint or "", is_generated=is_generated)


def _load(text: str | bytes, name: str, *, is_generated: bool) -> LoadedWorkflow:
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        return _unreadable("WORKFLOW_NOT_JSON", f"not valid Unicode text: {error.reason}")
    if len(data) > MAX_BYTES:
        return _unreadable("WORKFLOW_TOO_LARGE", f"{len(data)} bytes; at most {MAX_BYTES} are read")
    try:
        document, odd = _understood(data.removeprefix(b"\xef\xbb\xbf"), name)
    except Invalid as error:
        return _unreadable("WORKFLOW_NOT_JSON", error.message, str(error.facts.get("pointer", "")))
    loaded = read(document) if is_generated else understand(document)
    if odd:
        loaded = replace(loaded, corrected=(*odd, *loaded.corrected))
    odd += _odd_numbers(data)
    if loaded.format == "flow" and len(data) > MAX_FLOW_BYTES:
        message = f"a flow of {len(data)} bytes; a flow file has at most {MAX_FLOW_BYTES}"
        hint = "split it into several flows, or convert it to another form"
        odd.append(Problem("WORKFLOW_TOO_LARGE", "", message, hint))
    return replace(loaded, problems=(*odd, *loaded.problems)) if odd else loaded


def understand(document: Json) -> LoadedWorkflow:
    """The workflow in a JSON value that somebody wrote, with what is foreign in it corrected."""
    if (plain := read_plain(document)) is not None:
        return plain
    if is_plain(document):
        return _named("toolweave").read(document)
    if (foreign := foreign_file(document)) is not None:
        loaded = read(document)
        others = (one for one in loaded.problems if one.code != foreign.code)
        return replace(loaded, problems=(foreign, *others))
    after, problems = reshaped(document)
    loaded = read(after)
    if not problems:
        return loaded
    told = (*problems, *(_as_written(one, problems) for one in loaded.problems))
    return replace(loaded, problems=told, corrected=problems)


def _as_written(problem: Problem, corrected: tuple[Problem, ...]) -> Problem:
    return replace(problem, pointer=original_place(problem.pointer, corrected), patch=None)


def read(document: Json) -> LoadedWorkflow:
    """The workflow in a JSON value, read in the dialect that is surest to know it."""
    format, sureness = _recognised(document)
    loaded = format.read(document)
    if sureness > 0:
        return loaded
    problem = Problem(
        "WORKFLOW_UNKNOWN_DIALECT",
        "",
        "this is no workflow of a kind we know: there are no nodes",
        'a workflow is an object such as {"id": …, "name": …, "nodes": […], "connections": […]}',
    )
    return LoadedWorkflow(loaded.workflow, (problem,), loaded.format, loaded.places)


def convert(workflow: Workflow, to: FormatName) -> Json:
    """The document for `workflow` in another dialect, or in the one it came from."""
    document = _named(to).write(workflow)
    taken_for, _ = _recognised(document)
    if taken_for.name == to or _says_as_much(taken_for, document, workflow):
        return document
    return marked(document, to)


def _recognised(document: Json) -> tuple[Format, int]:
    formats = discover()
    scores = [format.recognises(document) for format in formats]
    best = max(scores)
    return formats[scores.index(best)], best


def _says_as_much(format: Format, document: Json, workflow: Workflow) -> bool:
    """Whether nothing is lost when a file is taken for one of another dialect."""
    return format.read(document).workflow == workflow and not remembers(workflow)


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


def _unreadable(code: str, message: str, place: str = "") -> LoadedWorkflow:
    hint = "a workflow is a JSON object, or YAML without aliases and tags"
    return LoadedWorkflow(Workflow(WorkflowId(""), ""), (Problem(code, place, message, hint),))


def _understood(data: bytes, name: str) -> tuple[Json, list[Problem]]:
    """The value in a text, and a warning if it is only nearly JSON."""
    try:
        document = _parsed(data, name)
    except Invalid as error:
        document, problem = corrected(data, error)
        return document, [problem]
    if (found := unwrapped(document)) is None:
        return document, []
    return found[0], [found[1]]


def _parsed(data: bytes, name: str) -> Json:
    """The value in JSON or YAML text; where both refuse it, the likelier one says why."""
    looks_json = data.lstrip()[:1] in {b"{", b"["}
    is_yaml = name.lower().endswith(YAML_ENDINGS)
    if is_yaml and not looks_json:
        return _yaml(data)
    try:
        return _json(data)
    except Invalid:
        if looks_json and not is_yaml:
            raise
        # Any text is a YAML scalar; only a mapping or list is worth a look.
        document = _quietly(lambda: _yaml(data))
        if isinstance(document, dict | list):
            return document
        raise


def _yaml(data: bytes) -> Json:
    # Most files are JSON, and loading a YAML parser takes longer than reading them.
    read_yaml = import_module("toolweave.workflow.yaml_text").read_yaml
    return cast("Json", read_yaml(data, max_depth=MAX_DEPTH))


def _odd_numbers(data: bytes) -> list[Problem]:
    """Whole numbers that no computer word holds: they are read as the nearest one of 64 bits."""
    # Files are large, and a pattern takes longer than all the rest of this.
    if _LONG not in data.translate(_AS_ZERO) or not _LONG_NUMBER.search(data):
        return []
    found: list[str] = []

    def look(text: str) -> None:
        if len(text) > 20 or not -(2**63) <= int(text) < 2**64:
            found.append(text)

    with suppress(ValueError):  # YAML, whose long numbers are text
        json.loads(data, parse_int=look)
    return [
        Problem(
            "NUMBER_ROUNDED",
            "",
            f"the number {shown(number)} has more digits than can be kept, and is rounded",
            "write it in quotes, as text",
            "warning",
        )
        for number in found[:1]
    ]


def _quietly(read: Callable[[], Json]) -> Json:
    try:
        return read()
    except Invalid:
        return None


def _json(data: bytes) -> Json:
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError:
        # Said again, with its line and column.
        return json_text.read(data, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    # Data set aside when converting is nested a few levels deeper than originally.
    limit = MAX_DEPTH + DEEPER if X.encode() in data else MAX_DEPTH
    indented = _indented(value) if len(data) <= MAX_INDENTED else None
    is_shallow = indented is not None and b"\n" + b"  " * (limit + 1) not in indented
    if not is_shallow and (place := _below(value, limit)) is not None:
        raise Invalid("JSON_INVALID", f"nested more than {limit} deep", facts={"pointer": place})
    # What is written again as it was has no key twice.
    if data in (indented, written := orjson.dumps(value)):
        return value
    # A key that is there twice leaves fewer quotes when the value is written again; only a quote
    # written as an escape could make up for them.
    if b"\\u0022" not in data and data.count(b'"') == written.count(b'"'):
        return value
    twice: object = json.loads(data, object_pairs_hook=_twice_among)
    if (found := _twice_in(twice)) is not None:
        message = f"the key {found.steps[-1]!r} appears twice in one object"
        raise Invalid("JSON_INVALID", message, facts={"pointer": pointer(*found.steps)})
    return value


def _indented(value: Json) -> bytes | None:
    """The value with two spaces for each level; None for one that is nested very deep."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except orjson.JSONEncodeError:
        return None


def _below(value: Json, limit: int) -> str | None:
    """Return the pointer of a container nested deeper than `limit`, if any."""
    level: list[dict[str, Json] | list[Json]]
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit + 1):
        # Files have many values, and none of them costs a step of Python here.
        inside = [one.values() if isinstance(one, dict) else one for one in level]
        items = list(chain.from_iterable(inside))
        found = compress(items, map(_CONTAINERS.__contains__, map(type, items)))
        level = cast("list[dict[str, Json] | list[Json]]", list(found))
        if not level:
            return None
    return _deepest(value, limit)


def _deepest(value: Json, limit: int) -> str:
    """The place of the first container that is `limit` deep, found by going down and back up."""
    ways: list[Iterator[tuple[str | int, Json]]] = [_inside(value)]
    steps: list[str | int] = []
    while ways and len(ways) <= limit:
        found = next(ways[-1], None)
        if found is None:
            ways.pop()
            steps = steps[:-1]
        else:
            steps.append(found[0])
            ways.append(_inside(found[1]))
    return pointer(*steps)


def _inside(value: Json) -> Iterator[tuple[str | int, Json]]:
    if isinstance(value, dict):
        yield from ((key, item) for key, item in value.items() if type(item) in _CONTAINERS)
    elif isinstance(value, list):
        yield from ((at, item) for at, item in enumerate(value) if type(item) in _CONTAINERS)


@dataclass(frozen=True, slots=True)
class _Twice:
    """The way to a key that is there twice."""

    steps: tuple[str | int, ...]


def _twice_among(pairs: list[tuple[str, object]]) -> _Twice | None:
    """What the parser keeps of an object: nothing, unless a key is there twice somewhere in it."""
    if len(dict(pairs)) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        return _Twice((next(key for key, count in counts.items() if count > 1),))
    for key, item in pairs:
        if item is not None and (found := _twice_in(item)) is not None:
            return _Twice((key, *found.steps))
    return None


def _twice_in(value: object) -> _Twice | None:
    if isinstance(value, list):
        listed: list[object] = value  # pyright: ignore[reportUnknownVariableType] # of the parser
        for at, item in enumerate(listed):
            if item is not None and (found := _twice_in(item)) is not None:
                return _Twice((at, *found.steps))
    return value if isinstance(value, _Twice) else None
