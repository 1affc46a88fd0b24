"""The fields that a wrong step of a path may mean. Not a check.

A field is found by its spelling, by a word for the same, or by the level at which the rest of the
path exists. `path_repair` takes the answer if there is only one.
"""

from collections.abc import Iterator

from toolweave.cel.paths import Path, Step
from toolweave.tools.key_meaning import renamed
from toolweave.tools.meaning import outputs_meant, plain_word, words
from toolweave.tools.name_words import is_same_word, singular, words_in
from toolweave.tools.other_names import names_of
from toolweave.workflow.checks.path_words import ANY_OUTPUT, FIRST
from toolweave.workflow.checks.spelling import closest
from toolweave.workflow.scope.resolved_path import ResolvedPath
from toolweave.workflow.scope.scope import Scope
from toolweave.workflow.shapes import SCALARS, Kind, ValueShape, look_up

# Names that other systems use for a node's output or input.
WRAPPERS = frozenset(
    {"output", "outputs", "result", "json", "data", "value", "body", "payload", "response"}
    | {"structuredContent", "structured_content", "content", "item"}
)
# Objects that other systems have around an answer, a request or an input.
_AROUND = WRAPPERS | {
    *("request", "req", "res", "choices", "message", "messages", "candidates", "parts"),
    *("inputs", "input", "params", "arguments", "event", "results", "first", "text", "delta"),
    *("completion", "generation", "outputs", "$return_value", "records", "items"),
}
# Outputs that hold what a node passes on or was sent, and nothing about it.
_PAYLOADS = frozenset({"data", "result", "github_payload", "slack_payload"})
_LIST: frozenset[Kind] = frozenset({"array"})
_RESULT = frozenset({"result", "results", "output", "outputs"})
_REQUEST = {"headers", "body", "query_params"}


def fields_meant(shape: ValueShape, path: Path, at: int, ref: str = "") -> list[Path]:
    """The paths that a path may mean whose step `at` is no field of `shape`.

    `ref` is the node whose output the path leads into.
    """
    wrong, below = path[at], path[at + 1 :]
    if not isinstance(wrong, str):
        return _without_index(shape, path, at)
    head = path[:at]
    if wrong == "error":
        return []  # what the port `error` carries may be meant
    if right := closest(wrong, shape.fields):
        return [(*head, right, *below)]
    joined = list(_joined(shape, wrong, below))
    is_around = wrong in WRAPPERS and bool(below)
    if is_around and not joined and look_up(shape, below[0]).verdict == "named":
        # What is below is an output, and nothing is around it here.
        return [(*head, *below)] if _leads(shape, below) else []
    if called := _called(shape, wrong, below, ref):
        return [(*head, one, *below) for one in called]
    owner = str(head[-1]) if head else ""
    longer = _ending(shape, wrong, below) or _of_owner(shape, wrong, owner)
    if longer and not joined:
        return [(*head, longer, *below)]
    found = dict.fromkeys((*head, *steps) for steps in joined or _alternatives(shape, wrong, below))
    if found:
        # A word of the name itself says more than a word for the same kind of thing.
        named = [one for one in found if _has_word(wrong, str(one[at]))]
        is_clear = len(named) == 1 and len(words_in(str(named[0][at]))) > 1
        return named if is_clear else list(found)
    return _in_another_object(shape, path, at, wrong)


def input_meant(shape: ValueShape, path: Path, at: int) -> list[Path]:
    """The path with the only declared input that a name means: `question` for `query`."""
    wrong = path[at]
    found = renamed(wrong, shape.fields) if isinstance(wrong, str) else []
    return [(*path[:at], found[0], *path[at + 1 :])] if len(found) == 1 else []


def main_output(shape: ValueShape, path: Path, at: int, ref: str) -> list[Path]:
    """The path with the only output that is named after what the node does.

    `filtered_data` for `result` of a FILTER.
    """
    if path[at] not in _RESULT:
        return []
    done = words(ref.partition(".")[2])
    found = [
        name
        for name in shape.fields
        if (first := words_in(name)[:1]) and first[0].endswith("ed") and words(first[0]) <= done
    ]
    return [(*path[:at], found[0], *path[at + 1 :])] if len(found) == 1 else []


def _in_another_object(shape: ValueShape, path: Path, at: int, wrong: str) -> list[Path]:
    """The path without what other systems have around a value, or with what holds it here."""
    head, below = path[:at], path[at + 1 :]
    if wrong in WRAPPERS and below and isinstance(below[0], str):
        return [(*head, *below)] if _leads(shape, below) else []
    if inner := _inner(shape, wrong, below):
        return [(*head, *inner)]
    if any(step in shape.fields for step in below):
        return []
    payload = _payload(shape, wrong)
    return [(*head, payload, wrong, *below)] if payload else []


def _called(shape: ValueShape, wrong: str, below: Path, ref: str) -> list[str]:
    """The outputs of a node that other systems call so."""
    names = names_of(ref).outputs if ref else None
    if names is None or not set(names.real.values()) <= shape.fields.keys():
        return []  # a value in one of the outputs
    found = [one for one in names.meant(wrong, ref) if one in shape.fields]
    return found if all(_leads(shape.fields[one], below) for one in found) else []


def _has_word(wrong: str, name: str) -> bool:
    return any(is_same_word(wrong, word) for word in words_in(name))


def _ending(shape: ValueShape, wrong: str, below: Path) -> str | None:
    """`merged_data` for `data`: the only output whose name ends with the word."""
    found = [
        name
        for name, field in shape.fields.items()
        if name.endswith(f"_{wrong}") and _leads(field, below)
    ]
    return found[0] if len(found) == 1 else None


def _of_owner(shape: ValueShape, wrong: str, owner: str) -> str | None:
    """`total_tokens` for `total` of `token_usage`: the only field with no other words than its."""
    spare = {singular(one) for one in words_in(owner)}
    given = {singular(one) for one in words_in(wrong)}
    found = [
        name
        for name in shape.fields
        if given < (own := {singular(one) for one in words_in(name)}) and own - given <= spare
    ]
    return found[0] if len(found) == 1 else None


def _inner(shape: ValueShape, wrong: str, below: Path) -> Path | None:
    """`body.id` of `request.body.id`: objects that other systems have around an output."""
    steps: Path = (wrong, *below)
    for at, step in enumerate(steps):
        if step in shape.fields:
            rest = steps[at + 1 :]
            # Nothing is inside a text: what other systems have there is around it.
            is_around = all(not isinstance(one, str) or one in _AROUND for one in rest)
            is_text = shape.fields[str(step)].kinds <= SCALARS
            if rest and is_around and is_text and not shape.fields[str(step)].is_unknown:
                return (step,)
            return steps[at:] if _leads(shape, steps[at:]) else None
        if isinstance(step, str) and step not in _AROUND:
            return None
    return None


def _alternatives(shape: ValueShape, wrong: str, below: Path) -> Iterator[Path]:
    for name in outputs_meant(wrong, shape.fields):
        if _leads(shape.fields[name], below):
            yield (name, *below)
    for name, field in shape.fields.items():
        if _is_named(field, (wrong, *below)):
            yield (name, wrong, *below)
        elif _is_named(field, below):
            yield (name, *below)
    if wrong in WRAPPERS and _is_named(shape, below):
        yield below


def _joined(shape: ValueShape, wrong: str, below: Path) -> Iterator[Path]:
    """`error.message` for `error_message`, and the other way round."""
    for name, field in shape.fields.items():
        rest = wrong[len(name) :].lstrip("_")
        if wrong.startswith(f"{name}_") and _is_object(field) and _leads(field, (rest, *below)):
            yield (name, rest, *below)
        if below and isinstance(below[0], str) and plain_word(name) == plain_word(wrong + below[0]):
            yield (name, *below[1:])


def _without_index(shape: ValueShape, path: Path, at: int) -> list[Path]:
    """`data.name` for `data[0].name` where there is no list."""
    below = path[at + 1 :]
    return [(*path[:at], *below)] if _is_named(shape, below) else []


def _is_named(shape: ValueShape, steps: Path) -> bool:
    """Whether steps lead to something known, by at least one name."""
    if not any(isinstance(step, str) for step in steps):
        return False
    for step in steps:
        found = look_up(shape, step)
        if isinstance(step, str) and found.verdict != "named":
            return False
        if not isinstance(step, str) and "array" not in shape.kinds:
            return False
        shape = found.shape
    return True


def _leads(shape: ValueShape, steps: Path) -> bool:
    """Whether steps may lead somewhere."""
    for step in steps:
        found = look_up(shape, step)
        if found.verdict in {"absent", "unsaid"}:
            return False
        shape = found.shape
    return True


def _is_object(shape: ValueShape) -> bool:
    return "object" in shape.kinds and not shape.is_unknown


def _payload(shape: ValueShape, wrong: Step) -> str | None:
    """The only output that may hold a field of any name."""
    holding = [
        name for name, field in shape.fields.items() if look_up(field, wrong).verdict == "open"
    ]
    if set(holding) == _REQUEST:
        return "body"
    others = [field for name, field in shape.fields.items() if name not in holding]
    is_only = len(holding) == 1 and all(field.kinds <= SCALARS | {"array"} for field in others)
    return holding[0] if is_only and holding[0] in _PAYLOADS else None


def first_item(path: Path, found: ResolvedPath) -> Path | None:
    """`rows[0].sku` for `rows.first.sku`, which a list has no field for."""
    is_inner = 0 < found.at < len(path) - 1
    is_first = is_inner and path[found.at] in FIRST and found.shape.kinds <= _LIST
    return (*path[: found.at], 0, *path[found.at + 1 :]) if is_first else None


def only_field(path: Path, found: ResolvedPath) -> list[Path]:
    """The only output of a node, for a word that other systems have for any output."""
    fields = [*found.shape.fields]
    is_general = found.at == 1 and path[1] in ANY_OUTPUT and len(path) == 2
    return [(path[0], fields[0])] if is_general and len(fields) == 1 else []


def port_meant(scope: Scope, path: Path, found: ResolvedPath) -> Path | None:
    """The path with the intended port of a node, or with its output."""
    wrong = path[2]
    if isinstance(wrong, str) and (port := closest(wrong, found.known)):
        return (*path[:2], port, *path[3:])
    value = scope.value_of(found.node) if found.node else None
    is_there = value is not None and look_up(value, wrong).verdict in {"named", "open"}
    if is_there:
        return (*path[:2], "output", *path[2:])
    return (*path[:2], "output", *path[3:]) if wrong in WRAPPERS else None
