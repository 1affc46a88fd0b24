"""Preview the value of a node's text over known names, in the language of its field.

Texts are evaluated as in a run: older syntaxes are translated, placeholders are filled once.
Problems carry the position of the character at fault.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.fault import SyntaxProblem, fault_at
from toolweave.cel.language import Result, Value, compile_text, evaluate
from toolweave.cel.templates import moved, read_template, substitute
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import pointer
from toolweave.workflow.checks.cel_fields import CEL_FIELDS, cel_texts
from toolweave.workflow.formats.legacy.translate import (
    translate_condition,
    translate_expression,
    translate_value,
)
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at
from toolweave.workflow.named_values import named_value
from toolweave.workflow.prompt_templates import Braces, fill_prompt, read_prompt
from toolweave.workflow.scope.references import BRANCHING, PROMPTS, Language

CONFIGURATIONS = "/configurations"
_BRANCH = pattern(r"/branches/\d+/condition")
_BRACES: dict[Language, Braces] = {"prompt": "double", "flow": "single"}
# Node type -> the field with its own values for names in its text.
_OWN_VALUES: dict[Language, str] = {"prompt": "variables", "flow": "variableValues"}


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """A text and its field in the node's data."""

    text: str
    field: str


@dataclass(frozen=True, slots=True)
class PreviewValue:
    """The value of a text, if any, and its problems."""

    value: tuple[Json, ...] = ()
    faults: tuple[SyntaxProblem, ...] = ()


def languages_of(node: Node, spec: NodeSpec | None) -> dict[str, Language]:
    """Return the fields of a node's data that are more than a value with placeholders."""
    if spec is not None:
        configurations = object_at(node.data, "configurations")
        names = (f"{CONFIGURATIONS}/{field.name}" for field in CEL_FIELDS.get(spec.ref, ()))
        found = (CONFIGURATIONS + pointer(*one.at) for one in cel_texts(spec, configurations))
        return dict.fromkeys((*names, *found), "own")
    if node.type in PROMPTS:
        return {pointer(PROMPTS[node.type]): "prompt"}
    if node.type == "template":
        return {"/template": "flow"}
    if node.type in BRANCHING:
        listed = node.data.get("branches")
        count = len(listed) if isinstance(listed, list) else 0
        return {f"/branches/{index}/condition": "words" for index in range(count)}
    return {}


def language_at(node: Node, spec: NodeSpec | None, asking: PreviewRequest) -> Language:
    """The language of a text by its field."""
    found = languages_of(node, spec).get(asking.field)
    if found == "own" and "{{" in asking.text:
        return "config"
    if found is not None:
        return found
    if node.type in BRANCHING and _BRANCH.fullmatch(asking.field):
        return "words"
    return "config" if asking.field.startswith(CONFIGURATIONS) else "value"


def previewed(
    asking: PreviewRequest,
    language: Language,
    names: Mapping[str, Json],
    data: JsonObject,
    is_late: Callable[[], bool],
) -> PreviewValue:
    """Evaluate a text; stops once `is_late`."""
    if language in ("own", "words"):
        return _whole(asking, language, names)
    if language in _BRACES:
        return _named(asking.text, language, names, data.get(_OWN_VALUES[language]))
    text = _translated(asking.text)
    return _filled(text, names, is_late, is_same=text == asking.text)


def misread(asking: PreviewRequest, language: Language) -> tuple[SyntaxProblem, ...]:
    """Return the problems of a text for any data; none if it may be natural language."""
    text = asking.text
    if language == "own":
        expression = compile_text(text)
        is_older = not expression.is_usable and translate_condition(text).is_changed
        return () if is_older else expression.faults
    if language in _BRACES or language == "words":
        return ()
    template = read_template(_translated(text))
    if template.text != text:
        return ()
    found = (
        moved(fault, text, placeholder.at)
        for placeholder in template.placeholders
        for fault in compile_text(placeholder.content).faults
    )
    return (*template.faults, *found)


def needs_data(asking: PreviewRequest, language: Language) -> bool:
    """Whether a text reads data of a run."""
    if language in _BRACES:
        return bool(read_prompt(asking.text, _BRACES[language]).placeholders)
    if language in ("own", "words"):
        return bool(compile_text(asking.text).references)
    placeholders = read_template(asking.text).placeholders
    return any(compile_text(placeholder.content).references for placeholder in placeholders)


def _translated(text: str) -> str:
    found, _ = translate_value(text)
    return found if isinstance(found, str) else text


def _whole(asking: PreviewRequest, language: Language, names: Mapping[str, Json]) -> PreviewValue:
    text = asking.text
    expression = compile_text(text)
    if language == "words" and not expression.is_usable:
        return PreviewValue()  # natural language, which a model evaluates in the run
    if not expression.is_ours:
        is_condition = not asking.field.endswith("script")
        translate = translate_condition if is_condition else translate_expression
        text = translate(text).text or text
    found = evaluate(text, names)
    if isinstance(found, Value):
        return PreviewValue((found.value,))
    return PreviewValue((), (_placed(found, asking.text, text == asking.text),))


def _named(text: str, language: Language, names: Mapping[str, Json], own: Json) -> PreviewValue:
    braces = _BRACES[language]
    faults: list[SyntaxProblem] = []
    known: dict[str, Value] = {}
    for placeholder in read_prompt(text, braces).placeholders:
        found, value = named_value(placeholder.content, names, own)
        if found:
            known[placeholder.content] = Value(value)
        else:
            message = f"{placeholder.content!r} is unknown; the text is kept as written"
            if language == "flow":
                message = f"{placeholder.content!r} has no value"
            severity = "error" if language == "flow" else "warning"
            code = "MISSING_VARIABLES" if language == "flow" else "TEMPLATE_VALUE"
            faults.append(fault_at(text, placeholder.at, code, message, severity=severity))
    filled = fill_prompt(text, known.get, braces)
    return PreviewValue((filled.value,), tuple(faults))


def _filled(
    text: str, names: Mapping[str, Json], is_late: Callable[[], bool], *, is_same: bool
) -> PreviewValue:
    template = read_template(text)
    known: dict[str, Result] = {}
    faults = list(template.faults)
    for placeholder in template.placeholders:
        if placeholder.content not in known:
            known[placeholder.content] = (
                _late(placeholder.content) if is_late() else evaluate(placeholder.content, names)
            )
        found = known[placeholder.content]
        if isinstance(found, SyntaxProblem):
            faults.append(moved(found, text, placeholder.at))
    if faults:
        return PreviewValue((), tuple(_placed(fault, text, is_same) for fault in faults))
    filled = substitute(text, known.get)
    problems = [fault_at(text, 0, one.code, one.message, one.hint) for one in filled.problems]
    return PreviewValue(() if problems else (filled.value,), tuple(problems))


def _late(text: str) -> SyntaxProblem:
    message = "the preview takes too long"
    return fault_at(text, 0, "EXPRESSION_LIMIT", message, "the run evaluates it completely")


def _placed(fault: SyntaxProblem, text: str, is_same: bool) -> SyntaxProblem:
    """Move a problem of a translated text to the start of the original."""
    if is_same:
        return fault
    return fault_at(text, 0, fault.code, fault.message, fault.hint, fault.severity)
