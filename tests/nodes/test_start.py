"""What validates starts, and what the start refuses does not validate: over generated settings."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import pytest
from tests.catalog.builders import a_spec, our_catalog
from tests.nodes.combined import combined
from tests.nodes.generated import Generated, constants, generated
from tests.workflow.checks.values_building import catalog_node

from toolweave.catalog.node import (
    Effectful,
    Looping,
    NodeCode,
    NodeContext,
    NodeInput,
    Outcome,
    Pure,
)
from toolweave.catalog.node_input import all_refusals, refused_at
from toolweave.catalog.spec import Example, Field, NodeSpec
from toolweave.cel.language import evaluate
from toolweave.cel.templates import substitute
from toolweave.engine.prepared_step import prepare
from toolweave.errors import Invalid, ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.nodes import discover
from toolweave.nodes.start_check import with_start_check
from toolweave.problems import Problem
from toolweave.testing.resources import (
    MOMENT,
    OutsideReachedError,
    ScriptedContext,
    scripted_resources,
)
from toolweave.workflow.checks import check_workflow
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.model import Edge, EdgeId, Node, NodeId, Workflow, WorkflowId

# How many of the generated cases of a node are tried, spread over all of them.
TRIED = 150
# How many examples with several changes are tried for each node.
COMBINED = 40
SAMPLES: dict[str, Json] = {
    "string": "text",
    "integer": 1,
    "float": 1.5,
    "boolean": True,
    "object": {},
    "array": [],
    "any": {},
}
# Validation names what is missing or of a wrong type by these, whatever the node calls it.
OF_FIELDS = frozenset(
    {"FIELD_REQUIRED", "FIELD_TYPE_INVALID", "FIELD_OPTION_INVALID", "FIELD_LIMIT_VIOLATED"}
    | {"SETTING_NEEDED", "EXPRESSION_INVALID"}
)
# A list may not be given where the path of the list is expected.
PATHS = frozenset({"array_path"})


@dataclass(frozen=True, slots=True)
class Started:
    """How a start ended: its static refusals, or the exception that nothing expects."""

    refused: tuple[Invalid, ...] = ()
    crashed: Exception | None = None


def disagreements(code: NodeCode, spec: NodeSpec, cases: Sequence[Generated]) -> Iterator[str]:
    """What validates and does not start, what does not start for another reason, false alarms."""
    for case, errors in zip(cases, problems_of(spec, cases), strict=True):
        codes = {problem.code for problem in errors}
        if case.is_templated:
            if errors and _is_false_alarm(spec, case):
                yield f"{case.done}: {errors[0].code} {errors[0].message}"
            continue
        started = start(code, case)
        if started.crashed is not None and not errors:
            yield f"{case.done}: {started.crashed!r}"
        for refused in started.refused:
            if not errors or (refused.code not in codes and not codes & OF_FIELDS):
                yield f"{case.done}: {refused.code} {refused.message}; validation: {codes}"


def _is_false_alarm(spec: NodeSpec, case: Generated) -> bool:
    """Whether a value in place of the template is not refused."""
    others = [one for one in generated(spec) if one.place == case.place and one.is_filled]
    return case.place not in PATHS and not all(problems_of(spec, others))


def problems_of(spec: NodeSpec, cases: Sequence[Generated]) -> list[list[Problem]]:
    """The errors of each case; all of them are steps of one workflow."""
    nodes = [catalog_node(spec.ref, one.config, one.inputs, f"n{i}") for i, one in enumerate(cases)]
    first = Node(NodeId("first"), "TRIGGER", "first", data={"subtype": "MANUAL"})
    is_start = spec.type == "TRIGGER"
    edges = [] if is_start else [Edge(EdgeId(f"e-{one.id}"), first.id, one.id) for one in nodes]
    ours = our_catalog()
    is_ours = ours.get(spec.type, spec.subtype) is not None
    known = KnownEnvironment(ours if is_ours else ours.with_specs((spec,)), MOMENT)
    found = check_workflow(Workflow(WorkflowId("w"), "w", (*nodes, first), tuple(edges)), known)
    errors: list[list[Problem]] = [[] for _ in cases]
    for problem in found:
        steps = problem.pointer.split("/")
        is_case = steps[1] == "nodes" and int(steps[2]) < len(cases)
        if problem.severity == "error" and is_case:
            errors[int(steps[2])].append(problem)
    return errors


def start(code: NodeCode, case: Generated) -> Started:
    """Start the node as a run does, with scripted resources."""
    try:
        _use(code, _given(code.spec, case))
    except Invalid as error:
        return Started(tuple(one for one in all_refusals(error) if _is_static(one, case)))
    except (ToolweaveError, OutsideReachedError):
        return Started()
    except Exception as error:
        return Started(crashed=error)
    return Started()


def _given(spec: NodeSpec, case: Generated) -> NodeInput:
    prepared = prepare(catalog_node(spec.ref, case.config, case.inputs), spec)
    incoming: JsonObject = {one.name: _sample(one) for one in prepared.required}
    inputs = {**incoming, **{key: one for key, one in prepared.inputs.items() if one is not None}}
    names = {**inputs, "data": inputs.get("data", inputs), "trigger": {}, "nodes": {}}
    config, filled = (
        substitute(part, lambda text: evaluate(text, names)) for part in (prepared.config, inputs)
    )
    assert isinstance(config.value, dict)
    assert isinstance(filled.value, dict)
    if config.problems or filled.problems:
        raise OutsideReachedError("a template names what is not here")
    # As in a run, what the node's own expressions read is filled too.
    names |= {**filled.value, "data": filled.value.get("data", filled.value)}
    return NodeInput(config.value, filled.value, names["data"], names)


def _sample(field: Field) -> Json:
    return field.options[0] if field.options else SAMPLES[field.type]


def _use(code: NodeCode, given: NodeInput) -> None:
    if isinstance(code, Pure):
        for static in code.spec.checks:
            static(given)
        if code.spec.type != "TRIGGER":
            code.compute(given)
    elif isinstance(code, Looping):
        items = code.items(given)
        code.width(given)
        if items is None:
            code.continues(given, 0, None)
        code.names(given, 0, items[0] if items else None)
    elif isinstance(code, Effectful):
        resources = scripted_resources([*_texts([given.config, given.inputs])])
        with closing(code.run(ScriptedContext(given, resources))) as run:
            try:
                run.send(None)  # type: ignore[attr-defined]
            except StopIteration:
                return


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _texts(one)


def _is_static(refused: Invalid, case: Generated) -> bool:
    """Whether it is about a value that stands in the document, or is missing there."""
    at, field = refused.facts.get("at"), refused.facts.get("field")
    path = at.split("/")[1:] if isinstance(at, str) else str(field).split(".") if field else []
    if not path:
        return False
    value: Json = {**case.config, **case.inputs}
    for step in path:
        value = value.get(step) if isinstance(value, dict) else value
    # What comes in decides about an input that is not written, and about a template.
    is_input = path[0] in case.required and path[0] not in case.inputs
    return not is_input and (case.is_constant or "{{" not in repr(value))


def tried(spec: NodeSpec) -> list[Generated]:
    """A part of the generated cases, with every choice that decides what else is needed."""
    cases = list(generated(spec))
    sampled = cases[:: max(1, len(cases) // TRIED)]
    return [*sampled, *(one for one in cases if one.is_choice and one not in sampled)]


@pytest.mark.parametrize("code", discover(), ids=lambda code: code.spec.ref)
def test_what_validates_starts_and_what_the_start_refuses_does_not_validate(code: NodeCode) -> None:
    spec = with_start_check(code)
    assert list(disagreements(code, spec, tried(spec))) == []


@pytest.mark.parametrize("code", discover(), ids=lambda code: code.spec.ref)
def test_settings_that_validate_together_start(code: NodeCode) -> None:
    spec = with_start_check(code)
    assert list(disagreements(code, spec, list(combined(spec, COMBINED)))) == []


@pytest.mark.parametrize("code", discover(), ids=lambda code: code.spec.ref)
def test_a_template_without_names_is_checked_as_the_value_that_it_is(code: NodeCode) -> None:
    spec = with_start_check(code)
    pairs = _some(list(constants(spec)))
    assert list(differences(code, spec, pairs)) == []


def _some(pairs: list[tuple[Generated, Generated]]) -> list[tuple[Generated, Generated]]:
    return pairs[:: max(1, len(pairs) // TRIED)]


def differences(
    code: NodeCode, spec: NodeSpec, pairs: Sequence[tuple[Generated, Generated]]
) -> Iterator[str]:
    """Constants that validate and do not start, or have other errors than their value."""
    as_values = problems_of(spec, [value for value, _ in pairs])
    as_templates = problems_of(spec, [template for _, template in pairs])
    for (_, case), expected, errors in zip(pairs, as_values, as_templates, strict=True):
        wanted, found = _codes(expected), _codes(errors)
        if wanted != found:
            yield f"{case.done}: {sorted(found)}; as a value: {sorted(wanted)}"
        started = start(code, case)
        if not errors and (started.refused or started.crashed is not None):
            yield f"{case.done}: valid, and the start says {started}"


def _codes(errors: list[Problem]) -> set[tuple[str, str]]:
    return {(one.code, one.pointer.split("/", 3)[3]) for one in errors}


def test_a_token_that_is_part_of_an_address_has_no_spaces() -> None:
    (code,) = (one for one in discover() if one.spec.ref == "EXTERNAL_ACTION.TELEGRAM_ACTION")
    example = code.spec.examples[0]
    right = Generated("example", example.configurations, example.input_params)
    wrong = Generated("spaces", {**right.config, "telegram_bot_token": "a b"}, right.inputs)
    spec = with_start_check(code)
    assert [bool(one) for one in problems_of(spec, [right, wrong])] == [False, True]


@pytest.mark.parametrize(
    ("ref", "field"),
    [
        ("EXTERNAL_ACTION.EMAIL", "from_name"),
        ("HUMAN_IN_THE_LOOP.GMAIL_INTERACTION", "email_subject"),
    ],
)
def test_a_header_of_a_mail_with_files_has_one_line(ref: str, field: str) -> None:
    (code,) = (one for one in discover() if one.spec.ref == ref)
    spec = with_start_check(code)
    for example in code.spec.examples:
        cases = [
            Generated(text, {**example.configurations, field: text}, example.input_params)
            for text in ("Ada", "Ada\nBcc: eve@example.com")
        ]
        right, wrong = problems_of(spec, cases)
        assert right == []
        assert [one.pointer.rpartition("/")[2] for one in wrong] == [field]


class _Late:
    """A node that uses the outside first and then fails by its own settings."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        example = Example("Go", "Goes.", {"way": "north"})
        way = Field("way", "string", "Where to.", required=True)
        self.spec = a_spec("LATE", configurations=(way,), examples=(example,), effect="once")

    async def run(self, context: NodeContext) -> Outcome:
        await context.resources.http.request("GET", "https://example.com")
        raise self.error


@pytest.mark.parametrize(
    "error", [refused_at(("way",), "NODE_INPUT_INVALID", "there is no such way"), KeyError("way")]
)
def test_a_refusal_or_crash_that_no_check_sees_is_found(error: Exception) -> None:
    code = _Late(error)
    found = list(disagreements(code, with_start_check(code), list(generated(code.spec))))
    assert any(one.startswith("example:") for one in found)
