"""What can be prepared of a step before any run: defaults, translated templates, schemas."""

from dataclasses import dataclass

from toolweave.catalog.node import OUTPUT_PORT
from toolweave.catalog.node_input import by_own_names, with_defaults
from toolweave.catalog.schema import configuration_schema, input_schema
from toolweave.catalog.spec import Field, NodeSpec
from toolweave.cel.templates import read_template, texts_in
from toolweave.json_text import Json, JsonObject
from toolweave.tools.schema import CompiledSchema, compile_schema
from toolweave.workflow.checks.cel_fields import TRANSLATED_FIELDS
from toolweave.workflow.formats.legacy.translate import translate_condition, translate_value
from toolweave.workflow.model import Node
from toolweave.workflow.node_queue import without_queue

# Templates of these are names, which the node resolves itself.
_NAMED = frozenset({"prompt", "template"})


@dataclass(frozen=True, slots=True)
class Prepared:
    """Settings and inputs of a step as written in the workflow, ready to be filled."""

    config: JsonObject
    inputs: JsonObject
    has_templates: bool
    # Whether the node is an entry of the catalog.
    has_spec: bool = False
    config_schema: CompiledSchema | None = None
    input_schema: CompiledSchema | None = None
    required: tuple[Field, ...] = ()
    primary: Field | None = None
    passes_on: bool = False
    is_disabled: bool = False
    # The ports by which the input leaves a disabled node.
    passed_by: tuple[str, ...] = (OUTPUT_PORT,)


def prepare(node: Node, spec: NodeSpec | None) -> Prepared:
    """Prepare everything about a node that does not depend on the run."""
    if spec is None:
        data = node.data if node.type in _NAMED else _translated(node.data)
        return Prepared(data, {}, node.type not in _NAMED and has_templates(data))
    settings = without_queue(_object(node.data, "configurations"))
    settings = _expressions(_translated(settings))
    inputs = _translated(_object(node.data, "inputParams"))
    config = with_defaults(settings, spec.all_configurations)
    required = tuple(given for given in spec.inputs if given.required)
    return Prepared(
        config,
        by_own_names(inputs, spec.inputs),
        has_templates(settings) or has_templates(inputs),
        True,
        compile_schema(configuration_schema(spec)),
        compile_schema(input_schema(spec)),
        required,
        next((given for given in required if given.name == "data"), required[0])
        if required
        else None,
        _passes_on(spec, config),
        config.get("enabled") is False,
        _passed_by(spec),
    )


def _passes_on(spec: NodeSpec, config: JsonObject) -> bool:
    """Whether the next node gets only `data` of the output."""
    if spec.ref == "FLOW.SUBWORKFLOW":
        return config.get("output") == "data"
    return spec.passes_data


def _passed_by(spec: NodeSpec) -> tuple[str, ...]:
    """The first port of a branching node, `done` of a loop; none of a node that asks a person."""
    names = [port.name for port in spec.output_ports]
    if OUTPUT_PORT in names or spec.type == "HUMAN_IN_THE_LOOP":
        return (OUTPUT_PORT,)
    return (OUTPUT_PORT, "done" if "done" in names else names[0])


def has_templates(value: Json) -> bool:
    """Whether a value contains a template."""
    return any(read_template(text).placeholders for _, text in texts_in(value) if "{{" in text)


def _translated(value: JsonObject) -> JsonObject:
    found, _ = translate_value(value)
    assert isinstance(found, dict)
    return found


def _expressions(settings: JsonObject) -> JsonObject:
    changed: JsonObject = {}
    for name in TRANSLATED_FIELDS & settings.keys():
        text = settings[name]
        if isinstance(text, str):
            translation = translate_condition(text)
            if translation.is_changed:
                changed[name] = translation.text
    return settings | changed


def _object(data: JsonObject, key: str) -> JsonObject:
    value = data.get(key)
    return value if isinstance(value, dict) else {}
