"""The expressions and names in a node's texts, and the paths they read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import orjson

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.language import Expression, compile_text
from toolweave.cel.paths import Path, PathReference
from toolweave.cel.templates import Placeholder, read_template
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import pointer
from toolweave.tools.document import Steps
from toolweave.workflow.checks.cel_fields import cel_texts
from toolweave.workflow.formats.legacy.translate import translate_condition, translate_expression
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at
from toolweave.workflow.prompt_templates import read_prompt

# `value` is a template in a value, `config` one in a configuration, `own` the CEL of a node's own
# field, `words` a condition that may as well be plain words; `prompt`, `flow` are names in texts.
Language = Literal["value", "config", "own", "words", "prompt", "flow"]

PROMPTS: dict[str, str] = {
    "prompt": "prompt",
    "subAgent": "prompt",
    "codex": "prompt",
    "askUserQuestion": "questionText",
    "skill": "executionPrompt",
}
# What these pass on can be configured.
OUTPUTS = frozenset({"start", "end", "result"})
BRANCHING = frozenset({"ifElse", "switch", "branch"})
_CONTAINERS = frozenset({dict, list})
# The mode in which a node's values are used, as it is written.
_DETAILED = (None, "detailed")
_NAME = pattern(r"\w[\w.-]*")


class NodeReferences(NamedTuple):
    """An expression or name in a node's text, translated to CEL, with its position."""

    steps: Steps
    text: str
    placeholder: Placeholder
    language: Language
    ours: str
    # Nothing for a name.
    expression: Expression | None = None
    is_condition: bool = False
    # Whether a problem stops the node: a prompt keeps the text as written.
    is_binding: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole text, so that its value keeps its type."""
        return self.placeholder.start == 0 and self.placeholder.end == len(self.text)

    @property
    def path(self) -> Path | None:
        """The path that the whole expression is, where it is one."""
        return None if self.expression is None else self.expression.path


@dataclass(frozen=True, slots=True)
class NameUse:
    """A path that a node reads; the pointer leads from the node to the text."""

    pointer: str
    reference: PathReference
    asked: NodeReferences


def asked_by(
    node: Node, spec: NodeSpec | None, *, is_older: bool = False
) -> Sequence[NodeReferences]:
    """Return the references of a node's texts; invalid expressions are skipped.

    `is_older`: the file is another system's, where a text may mean something else than in CEL.
    """
    if spec is not None:
        configurations = object_at(node.data, "configurations")
        found: list[NodeReferences] = [
            _cel(
                ("data", "configurations", *cel.at),
                cel.text,
                cel.field.is_condition,
                cel.is_used,
                is_older,
            )
            for cel in cel_texts(spec, configurations)
            if "{{" not in cel.text
        ]
        if configurations:
            found += _values(("data", "configurations"), configurations, "config", is_older)
        if given := node.data.get("inputParams"):
            found += _values(("data", "inputParams"), given, "value", is_older)
        return found
    if node.type != "mcp":
        return list(_drawn(node, is_older))
    values = node.data.get("parameterValues")
    if not values or node.data.get("mode", "detailed") not in _DETAILED:
        return ()
    return _values(("data", "parameterValues"), values, "value", is_older)


def is_input(node: Node, spec: NodeSpec | None, name: str) -> bool:
    """Whether a name is an input of a catalog node, or may be one of its variables."""
    given = object_at(node.data, "inputParams")
    for one in spec.inputs if spec is not None else ():
        if name == one.name or name in one.aliases:
            return True
        variables = given.get(one.name) if one.name.endswith("variables") else None
        if isinstance(variables, str) or (isinstance(variables, dict) and name in variables):
            return True
    return False


def input_names(node: Node, spec: NodeSpec | None) -> tuple[str, ...]:
    """The names of a node's inputs, and those of its variables."""
    given = object_at(node.data, "inputParams")
    names = [one.name for one in spec.inputs] if spec is not None else []
    own = (object_at(given, one) for one in names if one.endswith("variables"))
    return (*names, *(one for variables in own for one in variables))


def _drawn(node: Node, is_older: bool) -> Iterator[NodeReferences]:
    """The references of a node without a specification."""
    if node.type in PROMPTS:
        yield from _prompt(("data", PROMPTS[node.type]), node.data.get(PROMPTS[node.type]))
    elif node.type == "template":
        yield from _flow(("data", "template"), node.data.get("template"))
    elif node.type in BRANCHING:
        yield from _branches(node.data.get("branches"))
    elif node.type in OUTPUTS and (output := node.data.get("output")):
        yield from _values(("data", "output"), output, "value", is_older)


def references_of(
    node: Node, spec: NodeSpec | None = None, *, is_older: bool = False
) -> list[NameUse]:
    """Every path that the expressions of a node read."""
    return [
        NameUse(pointer(*asked.steps), reference, asked)
        for asked in asked_by(node, spec, is_older=is_older)
        if asked.expression is not None
        for reference in asked.expression.references
    ]


def may_ask(value: Json) -> bool:
    """Whether a text in a value may hold a template; where it cannot be written, it may."""
    if not value:
        return False
    if isinstance(value, str):
        return "{{" in value
    try:
        return b"{{" in orjson.dumps(value)
    except TypeError:
        return True


def _values(steps: Steps, value: Json, language: Language, is_older: bool) -> list[NodeReferences]:
    found: list[NodeReferences] = []
    # Most are objects of texts, numbers and the like.
    if isinstance(value, dict) and _CONTAINERS.isdisjoint(map(type, value.values())):
        for key, part in value.items():
            if isinstance(part, str) and "{{" in part:
                found += asked_in((*steps, key), part, language, is_older)
        return found
    waiting: list[tuple[Steps, Json]] = [(steps, value)]
    while waiting:
        at, one = waiting.pop()
        if isinstance(one, str):
            if "{{" in one:
                found += asked_in(at, one, language, is_older)
        elif isinstance(one, dict):
            parts = [
                ((*at, key), part)
                for key, part in one.items()
                if ("{{" in part if isinstance(part, str) else type(part) in _CONTAINERS)
            ]
            waiting += reversed(parts) if len(parts) > 1 else parts
        elif isinstance(one, list) and may_ask(one):
            waiting.extend(((*at, index), one[index]) for index in reversed(range(len(one))))
    return found


def asked_in(
    steps: Steps, text: str, language: Language, is_older: bool = False
) -> list[NodeReferences]:
    """What the templates in one text ask for."""
    found: list[NodeReferences] = []
    for placeholder in read_template(text).placeholders:
        expression = compile_text(placeholder.content)
        if is_older or not expression.is_ours:
            expression = compile_text(
                translate_expression(placeholder.content).text or placeholder.content
            )
        found.append(
            NodeReferences(steps, text, placeholder, language, expression.text, expression)
        )
    return found


def _cel(
    steps: Steps, text: str, is_condition: bool, is_used: bool, is_older: bool
) -> NodeReferences:
    expression = compile_text(text)
    if is_older or not expression.is_ours:
        translate = translate_condition if is_condition else translate_expression
        expression = compile_text(translate(text).text or text)
    placeholder = Placeholder(text, 0, 0, len(text))
    return NodeReferences(
        steps, text, placeholder, "own", expression.text, expression, is_condition, is_used
    )


def _prompt(steps: Steps, text: Json) -> Iterator[NodeReferences]:
    if not isinstance(text, str) or "{{" not in text:
        return
    for placeholder in read_template(text).placeholders:
        if _NAME.fullmatch(placeholder.content):
            yield NodeReferences(steps, text, placeholder, "prompt", placeholder.content)
        elif (expression := compile_text(placeholder.content)).is_usable:
            yield NodeReferences(
                steps, text, placeholder, "value", placeholder.content, expression, is_binding=False
            )


def _flow(steps: Steps, text: Json) -> Iterator[NodeReferences]:
    if isinstance(text, str) and "{" in text:
        for placeholder in read_prompt(text, "single").placeholders:
            yield NodeReferences(steps, text, placeholder, "flow", placeholder.content)


def _branches(branches: Json) -> Iterator[NodeReferences]:
    for index, branch in enumerate(branches if isinstance(branches, list) else []):
        text = branch.get("condition") if isinstance(branch, dict) else None
        if isinstance(text, str) and (expression := compile_text(text)).is_usable:
            placeholder = Placeholder(text, 0, 0, len(text))
            steps = ("data", "branches", index, "condition")
            yield NodeReferences(
                steps, text, placeholder, "words", text, expression, is_condition=True
            )
