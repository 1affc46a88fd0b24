"""Templates without names, such as `{{ 1.5 }}`: the same value in every run, so known before it.

The checks of values read a workflow with these values in place of the templates, so that a constant
is refused, and fixed, as the value itself would be. Not a check.
"""

from dataclasses import replace
from operator import is_

from toolweave.catalog.spec import NodeSpec
from toolweave.cel.language import Result, Value, compile_text, evaluate
from toolweave.cel.templates import Template, read_template, substitute
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.workflow.checks.cel_fields import CEL_FIELDS, TRANSLATED_FIELDS
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import NodeFacts, node_table
from toolweave.workflow.formats.legacy.translate import translate_condition, translate_expression
from toolweave.workflow.model import Node
from toolweave.workflow.scope.references import may_ask

_PARTS = ("configurations", "inputParams", "parameterValues")
# A path that begins with a name, as most templates are; `true` and `size('x')` may be constants.
_MAY_BE = pattern(
    r"\{\{(?!\s*(?!(?:true|false|null|True|False|None)\b)[A-Za-z_$][\w$]*\s*[.\[}?|])"
)


def filled(case: CheckContext) -> CheckContext:
    """The workflow with the values of its constant templates; the same where it has none."""
    nodes = tuple(
        [
            _with_constants(one.node, one.spec) if one.may_ask and _may_have(one) else one.node
            for one in node_table(case).nodes
        ]
    )
    if all(map(is_, nodes, case.workflow.nodes)):
        return case
    workflow = replace(case.workflow, nodes=nodes)
    return CheckContext(workflow, case.known, case.format, case.whole)


def _may_have(facts: NodeFacts) -> bool:
    return facts.is_nested or _MAY_BE.search(facts.texts) is not None


def _with_constants(node: Node, spec: NodeSpec | None) -> Node:
    """The node with its constant templates filled; the same object where there are none."""
    changed: JsonObject = {}
    expressions = {one.name for one in CEL_FIELDS.get(spec.ref if spec is not None else "", ())}
    for part in _PARTS:
        given = node.data.get(part)
        if not isinstance(given, dict) or not may_ask(given):
            continue
        values: JsonObject = {
            key: one if key in expressions and _is_translated(key, one) else _filled(one)
            for key, one in given.items()
        }
        if any(values[key] is not given[key] for key in given):
            changed[part] = values
    return replace(node, data={**node.data, **changed}) if changed else node


def _is_translated(name: str, value: Json) -> bool:
    """Whether a run reads an expression without the braces around it."""
    is_text = name in TRANSLATED_FIELDS and isinstance(value, str)
    return is_text and translate_condition(str(value)).is_changed


def _filled(value: Json) -> Json:
    if isinstance(value, str) and _MAY_BE.search(value) is None:
        return value
    return substitute(value, _value, read=_constant_template).value


def _constant_template(text: str) -> Template:
    """The placeholders of a text, if all of them are constants."""
    found = read_template(text)
    is_constant = all(_value(one.content) is not None for one in found.placeholders)
    return found if is_constant and not found.faults else Template(text)


def _value(content: str) -> Result | None:
    """The value of an expression without names; None for any other, and for one that fails."""
    expression = compile_text(content)
    if not expression.is_ours:
        translated = translate_expression(content).text
        expression = compile_text(content if translated is None else translated)
    if expression.compute is None or expression.references:
        return None
    found = evaluate(expression.text, {})
    # `{{ '{{' }}` writes braces that no check may read as a template.
    is_plain = isinstance(found, Value) and not may_ask(found.value)
    return found if is_plain else None
