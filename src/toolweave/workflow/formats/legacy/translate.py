"""Older systems' syntaxes to ours when a file is loaded. The original is always kept.

References such as `{{$json.path}}`, conditions in JavaScript, and `conversion_function` in Python,
which is read as a field mapping where it is one and never run.
"""

import re
from dataclasses import dataclass
from importlib import import_module

from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.language import compile_text
from toolweave.cel.parser import MAX_CHARS
from toolweave.cel.paths import Step, write_path
from toolweave.cel.templates import moved, read_template
from toolweave.cel.tokens import tokens
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.workflow.formats.legacy.variables import ROOTS

# Words that mean something in JavaScript or Python and nothing in CEL.
_FOREIGN = frozenset(
    {"===", "!==", "?.", "??", "=>", "undefined", "typeof", "length", "includes", "some", "every"}
    | {"toLowerCase", "toUpperCase", "toString", "toFixed", "replaceAll", "and", "or", "not"}
    | {"None", "True", "False", "Math", "Number", "String", "parseInt", "parseFloat", "len"}
    | {"input_data"}
)
_REFERENCE = pattern(r"(\$(?:json|input|config|trigger|node))(?=[.\[]|$)")
_STEP = pattern(
    r"""\.(?P<name>[A-Za-z0-9_-]+)|\[\s*(?:(?P<index>[0-9]{1,9})|(?P<quote>['"])(?P<key>[^'"\\]*)(?P=quote))\s*\]"""
)
_PLACEHOLDER = pattern(r"\$[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Translation:
    """A text of an older system: ours in its place, or nothing and the reason."""

    original: str
    text: str | None
    faults: tuple[SyntaxProblem, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether ours differs from what stood there."""
        return self.text is not None and self.text != self.original


def translate_condition(text: str) -> Translation:
    """A condition: as it is if it is CEL already, else read as JavaScript."""
    return _translated(text, is_condition=True)


def translate_expression(text: str) -> Translation:
    """An expression or reference of an older system."""
    path = _reference(text)
    if path is not None:
        return Translation(text, path)
    if _PLACEHOLDER.fullmatch(text):
        message, hint = f"{text} has to be filled in", "write a value in its place"
        return _refused(text, 0, message, hint, "TEMPLATE_PLACEHOLDER")
    return _translated(text, is_condition=False)


def translate_template(text: str) -> Translation:
    """Translate the placeholders of a text; untranslatable ones stay and are reported."""
    template = read_template(text)
    pieces: list[str] = []
    faults = list(template.faults)
    end = 0
    for placeholder in template.placeholders:
        found = translate_expression(placeholder.content)
        faults.extend(moved(fault, text, placeholder.at) for fault in found.faults)
        if found.is_changed:
            pieces.append(f"{text[end : placeholder.start]}{{{{ {found.text} }}}}")
            end = placeholder.end
    return Translation(text, "".join([*pieces, text[end:]]), tuple(faults))


def translate_value(value: Json, place: str = "") -> tuple[Json, tuple[Problem, ...]]:
    """Translate all templates of a value; the same object if there are none."""
    problems: list[Problem] = []
    return _value(value, place, problems), tuple(problems)


def translate_mapping(source: str) -> Translation:
    """Translate the plain field mapping in a `conversion_function`; it is parsed, never run."""
    if len(source) > MAX_CHARS:
        reason, at = f"{len(source)} characters; at most {MAX_CHARS} are read", 0
    else:
        reader = import_module("toolweave.workflow.formats.legacy.from_python")
        found, reason, at = reader.mapping_in(source)
        if found is not None and not _errors(found):
            return Translation(source, found)
    hint = "write the mapping as an expression over data"
    message = f"Python is not run here: {reason}"
    fault = fault_at(source, at, "CONVERSION_NOT_RUN", message, hint, severity="warning")
    return Translation(source, None, (fault,))


def _translated(text: str, *, is_condition: bool) -> Translation:
    if not _is_foreign(text):
        faults = compile_text(text).faults
        if not any(fault.severity == "error" for fault in faults):
            return Translation(text, text)
    if len(text) > MAX_CHARS:
        return _refused(text, 0, f"{len(text)} characters; at most {MAX_CHARS} are read")
    # Nearly all texts are CEL already, and loading the reader takes longer than reading one.
    reader = import_module("toolweave.workflow.formats.legacy.javascript_text")
    found, faults = reader.as_cel(text, is_condition=is_condition)
    if found is not None and (errors := _errors(found)):
        return _refused(text, 0, f"it would become {found!r}, but {errors[0].message}")
    return Translation(text, found, faults)


def _errors(text: str) -> list[SyntaxProblem]:
    return [fault for fault in compile_text(text).faults if fault.severity == "error"]


def _refused(
    text: str,
    at: int,
    message: str,
    hint: str | None = None,
    code: str = "EXPRESSION_UNTRANSLATED",
) -> Translation:
    return Translation(text, None, (fault_at(text, at, code, message, hint),))


def _is_foreign(text: str) -> bool:
    return any(token.text in _FOREIGN or token.text[0] in "$`" for token in tokens(text))


def _reference(text: str) -> str | None:
    """`data.user['first-name']` for `$json.user.first-name`; nothing for what is no reference.

    The older systems split at dots, so that a key may hold a hyphen.
    """
    root = _REFERENCE.match(text)
    if root is None:
        return None
    path: list[Step] = [ROOTS[root[1]]]
    at = root.end()
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        name = step["name"] or step["key"]
        path.append(int(step["index"] or name) if _is_index(step) else name or "")
        at = step.end()
    return write_path(tuple(path))


def _is_index(step: re.Match[str]) -> bool:
    return step["index"] is not None or (step["name"] or "x").isdigit()


def _value(value: Json, place: str, problems: list[Problem]) -> Json:
    if isinstance(value, str):
        return _text(value, place, problems) if "{{" in value else value
    if isinstance(value, list):
        items = [_value(one, f"{place}/{index}", problems) for index, one in enumerate(value)]
        is_same = all(new is old for new, old in zip(items, value, strict=True))
        return value if is_same else items
    if isinstance(value, dict):
        members: JsonObject = {
            key: _value(one, place + pointer(key), problems) for key, one in value.items()
        }
        return value if all(members[key] is value[key] for key in value) else members
    return value


def _text(text: str, place: str, problems: list[Problem]) -> Json:
    found = translate_template(text)
    problems.extend(fault.problem(place) for fault in found.faults)
    return found.text if found.is_changed else text
