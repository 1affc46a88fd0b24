"""Random schemas and values: what explains, draws and writes must agree with what decides."""

from hypothesis import given
from tests.tools.example import example_value
from tests.tools.strategies import JSON, SCHEMAS, SMALL_VALUES, steady

from toolweave.json_text import Json
from toolweave.tools.check import check_arguments, check_output
from toolweave.tools.parameter import Parameter
from toolweave.tools.read_schema import read_schema
from toolweave.tools.read_tool import read_tool
from toolweave.tools.schema import compile_schema
from toolweave.tools.violations import Explainer
from toolweave.tools.wire import read_wire, write_wire
from toolweave.tools.write_schema import write_schema


@steady(200)
@given(SCHEMAS, SMALL_VALUES)
def test_the_explanation_finds_a_fault_exactly_where_the_validator_refuses(
    schema: Json, value: Json
) -> None:
    compiled = compile_schema(schema)
    if not compiled.is_usable:
        return
    faults = Explainer(compiled).faults(compiled.root, value)
    assert bool(faults) == (compiled.judge(value).verdict == "invalid"), (compiled.root, faults)
    tool = read_tool("server", {"name": "tool", "inputSchema": {}, "outputSchema": schema})
    assert bool(check_output(tool, value)) == bool(faults)


@steady(100)
@given(SCHEMAS)
def test_any_tree_survives_writing_and_reading(schema: Json) -> None:
    tree = read_schema(schema)
    assert read_schema(write_schema(tree)) == tree
    assert read_wire(write_wire(tree)) == (tree, [])


@steady(100)
@given(SCHEMAS)
def test_an_example_fits_or_a_reason_is_given(schema: Json) -> None:
    value, problems = example_value(schema)
    if not problems:
        assert compile_schema(schema).judge(value).verdict == "valid"


@steady(100)
@given(JSON)
def test_reading_any_json_as_a_tool_raises_nothing(entry: Json) -> None:
    tool = read_tool("server", entry)
    assert tool.is_usable == (tool.problems == ())


@steady(100)
@given(JSON, JSON)
def test_checking_any_value_by_any_schema_raises_nothing(schema: Json, value: Json) -> None:
    tool = read_tool("server", {"name": "tool", "inputSchema": schema})
    assert isinstance(read_schema(schema), Parameter)
    assert all(problem.message for problem in check_arguments(tool, value))
