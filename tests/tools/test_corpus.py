"""Properties that hold for every real tool of the corpus."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.builders import corpus, corpus_schemas
from tests.tools.example import example_arguments, example_value
from tests.tools.strategies import steady, values_of

from toolweave.json_text import Json, JsonObject
from toolweave.problems import pointer
from toolweave.tools.check import check_arguments
from toolweave.tools.coerce import coerce_arguments
from toolweave.tools.document import Steps
from toolweave.tools.parameter import Parameter
from toolweave.tools.read_schema import read_schema
from toolweave.tools.read_tool import read_tool
from toolweave.tools.schema import compile_schema
from toolweave.tools.wire import read_wire, write_wire
from toolweave.tools.write_schema import write_schema

SERVERS = sorted({tool.server for tool in corpus()})


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(corpus()) >= 400
    assert len({tool.server for tool in corpus()}) >= 20


def test_every_real_tool_is_usable_and_keeps_its_raw_definition() -> None:
    for one in corpus():
        tool = read_tool(one.server, one.entry)
        assert tool.is_usable, (one.name, tool.problems)
        assert tool.raw is one.entry
        assert tool.input_schema is one.entry["inputSchema"]


def test_every_top_level_property_of_every_real_tool_is_a_parameter() -> None:
    for one in corpus():
        tool = read_tool(one.server, one.entry)
        properties = tool.input_schema.get("properties", {})
        assert isinstance(properties, dict)
        assert [parameter.name for parameter in tool.parameters] == list(properties), one.name


def test_every_real_tool_has_an_example_that_passes_its_own_check() -> None:
    for one in corpus():
        tool = read_tool(one.server, one.entry)
        arguments, problems = example_arguments(tool)
        assert problems == [], one.name
        assert check_arguments(tool, arguments) == [], one.name


def test_every_real_schema_has_an_example() -> None:
    for name, schema in corpus_schemas():
        value, problems = example_value(schema)
        assert problems == [], name
        assert compile_schema(schema).judge(value).verdict == "valid", name


@steady(120)
@given(st.data())
def test_a_value_built_from_the_tree_fits_the_raw_schema(data: st.DataObject) -> None:
    name, schema = data.draw(st.sampled_from(corpus_schemas()))
    value = data.draw(values_of(read_schema(schema)))
    problems = [
        problem
        for problem in check_arguments(_tool_of(schema), value)
        if problem.severity == "error"
    ]
    assert problems == [], name


def test_the_tree_of_every_real_schema_survives_writing_and_reading() -> None:
    for name, schema in corpus_schemas():
        tree = read_schema(schema)
        assert read_schema(write_schema(tree)) == tree, name


def test_the_seed_form_of_every_real_parameter_survives_writing_and_reading() -> None:
    for name, schema in corpus_schemas():
        tree = read_schema(schema)
        assert read_wire(write_wire(tree)) == (tree, []), name


def test_a_written_schema_accepts_what_the_raw_one_does() -> None:
    for name, schema in corpus_schemas():
        value, _ = example_value(schema)
        written = compile_schema(write_schema(read_schema(schema)))
        assert written.is_usable, name
        assert written.judge(value).verdict == "valid", name


@pytest.mark.parametrize("server", SERVERS)
def test_a_wrong_type_at_one_leaf_is_found_at_that_leaf(server: str) -> None:
    for one in corpus():
        if one.server != server:
            continue
        tool = read_tool(server, one.entry)
        root = read_schema(tool.input_schema)
        whole = _filled(root)
        assert check_arguments(tool, whole) == [], one.name
        for path, parameter in _leaves(root, ()):
            wrong: Json = {"not": "this"} if parameter.kind != "object" else 12345
            found = check_arguments(tool, _with(whole, path, wrong))
            assert [(problem.pointer, problem.code) for problem in found] == [
                (pointer(*path), "MCP_PARAMETER_INVALID_TYPE")
            ], one.name


def test_scalars_typed_as_text_come_back_as_they_were() -> None:
    for one in corpus():
        tool = read_tool(one.server, one.entry)
        scalars = {
            parameter.name: value
            for parameter in tool.parameters
            if parameter.kind in ("string", "integer", "number", "boolean")
            and (value := _filled(parameter)) is not None
        }
        pairs = [f"{name}={_typed(value)}" for name, value in scalars.items()]
        assert coerce_arguments(tool, pairs) == (scalars, []), one.name


def _typed(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tool_of(schema: JsonObject):
    return read_tool("corpus", {"name": "tool", "inputSchema": schema})


def _filled(parameter: Parameter) -> Json:
    """The example of a parameter with its optional parts as well, as far as there are examples."""
    if parameter.kind == "object" and parameter.properties and parameter.constraints.enum is None:
        return {one.name: _filled(one) for one in parameter.properties}
    if parameter.kind == "array" and parameter.items and not parameter.prefix_items:
        limits = parameter.constraints
        return [_filled(parameter.items)] * max(limits.min_items or 1, 1)
    return example_value(write_schema(parameter))[0]


def _leaves(parameter: Parameter, path: Steps) -> Iterator[tuple[Steps, Parameter]]:
    """Every place of the filled value whose kind is certain."""
    if parameter.kind in ("union", "any"):
        return
    if path:
        yield path, parameter
    if parameter.kind == "object" and parameter.constraints.enum is None:
        for one in parameter.properties:
            yield from _leaves(one, (*path, one.name))
    elif parameter.kind == "array" and parameter.items and not parameter.prefix_items:
        yield from _leaves(parameter.items, (*path, 0))


def _with(value: Json, path: Steps, part: Json) -> Json:
    if not path:
        return part
    step, *rest = path
    if isinstance(value, dict) and isinstance(step, str):
        return value | {step: _with(value[step], tuple(rest), part)}
    assert isinstance(value, list)
    assert isinstance(step, int)
    return [*value[:step], _with(value[step], tuple(rest), part), *value[step + 1 :]]
