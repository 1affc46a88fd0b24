"""References that lead nowhere, values that cannot fit, inputs that nothing feeds: no others."""

from collections import Counter
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady
from tests.workflow.checks.building import known, mended, node, whole
from tests.workflow.sample_files import FILES, sample
from tests.workflow.strategies import WORKFLOWS

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.data_flow import check
from toolweave.workflow.formats.format import FormatName
from toolweave.workflow.model import Edge, Node, Workflow

PRODUCT: JsonObject = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
FOUND: JsonObject = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": {"$ref": "#/$defs/product"}},
        "best": {"anyOf": [{"$ref": "#/$defs/product"}, {"type": "null"}]},
        "count": {"type": "integer"},
        "took": {"type": "number"},
        "done": {"type": "boolean"},
        "extra": {},
    },
    "required": ["items", "count"],
    "additionalProperties": False,
    "$defs": {"product": PRODUCT},
}


def _tool(name: str, takes: JsonObject, gives: JsonObject | None = None) -> Tool:
    entry: JsonObject = {
        "name": name,
        "description": "",
        "inputSchema": {"type": "object", "properties": takes},
    }
    if gives is not None:
        entry["outputSchema"] = gives
    return read_tool("shop", entry)


TOOLS = [
    _tool("find", {"query": {"type": "string"}, "limit": {"type": "integer"}}, FOUND),
    _tool(
        "post",
        {
            "text": {"type": "string"},
            "times": {"type": "integer"},
            "share": {"type": "number"},
            "labels": {"type": "array", "items": {"type": "string"}},
            "kind": {"enum": ["big", "small"]},
            "deep": {"type": "object", "properties": {"text": {"type": "string"}}},
            "any": {},
        },
        {
            "type": "object",
            "properties": {"url": {"type": "string"}, "posted": {"type": "boolean"}},
        },
    ),
    _tool("plain", {"x": {}}),
]


def mcp(node_id: str, tool: str = "post", /, **values: Json) -> Node:
    return node(node_id, "mcp", serverId="shop", toolName=tool, parameterValues=values)


def problems(workflow: Workflow, format: FormatName = "toolweave") -> list[Problem]:
    live = replace(known(), tools={"shop": TOOLS}.get)
    return list(check(CheckContext(workflow, live, format)))


def shop(**values: Json) -> Workflow:
    """A start, a search and a post with these arguments, in a line, and a node nobody follows."""
    nodes = [node("start", "start"), mcp("fetch", "find"), mcp("send", **values)]
    nodes += [mcp("later"), mcp("lonely", "find")]
    return whole(nodes, ["start > fetch", "fetch > send", "send > later", "start > lonely"])


def conditional(condition: str) -> Workflow:
    nodes = [mcp("fetch", "find"), catalog("gate", "FLOW.IF", condition_expression=condition)]
    return whole(nodes, ["fetch > gate"])


def catalog(
    node_id: str, ref: str, inputs: JsonObject | None = None, **configurations: Json
) -> Node:
    made = node(node_id, ref, configurations=configurations)
    return made if inputs is None else replace(made, data={**made.data, "inputParams": inputs})


def the_one(workflow: Workflow, format: FormatName = "toolweave") -> Problem:
    (problem,) = problems(workflow, format)
    return problem


def assert_mended(workflow: Workflow, problem: Problem, format: FormatName = "toolweave") -> Node:
    """The patch takes the problem away and brings no other; the node at its place, then."""
    after = mended(workflow, problem)
    left = Counter(one.code for one in problems(after, format))
    assert left < Counter(one.code for one in problems(workflow, format))
    return after.nodes[int(problem.pointer.split("/")[2])]


NAME, NODE, FIELD = "REFERENCE_NAME_UNKNOWN", "REFERENCE_NODE_UNKNOWN", "REFERENCE_FIELD_UNKNOWN"
PORT, MISFIT = "REFERENCE_PORT_UNKNOWN", "VALUE_TYPE_MISFIT"


@pytest.mark.parametrize(
    ("written", "code", "column", "right"),
    [
        ("{{ fetch.best.nmae }}", FIELD, 15, "{{ fetch.best.name }}"),
        ("{{ data.best.nmae }}", FIELD, 14, "{{ data.best.name }}"),
        ("{{ input.best['nmae'] }}", FIELD, 15, "{{ input.best.name }}"),
        ("{{ nodes.fetch.output.best.nmae }}", FIELD, 28, "{{ nodes.fetch.output.best.name }}"),
        ("{{ fetch.itmes[0].name }}", FIELD, 10, "{{ fetch.items[0].name }}"),
        ("Hi {{ fetch.items[0].nmae }}!", FIELD, 22, "Hi {{ fetch.items[0].name }}!"),
        (
            "{{ fetch.items.map(i, i.nmae).join(', ') }}",
            FIELD,
            25,
            "{{ fetch.items.map(i, i.name).join(', ') }}",
        ),
        ("{{ ftech.best.name }}", NAME, 4, "{{ fetch.best.name }}"),
        ("{{ dtaa.best.name }}", NAME, 4, "{{ data.best.name }}"),
        ("{{ best.name }}", NAME, 4, "{{ data.best.name }}"),
        ("{{ nods.fetch.output.best.name }}", NAME, 4, "{{ nodes.fetch.output.best.name }}"),
        ("{{ nodes.ftech.output.best.name }}", NODE, 10, "{{ nodes.fetch.output.best.name }}"),
        ("{{ nodes['Fetch'].output.best.name }}", NODE, 10, "{{ nodes.fetch.output.best.name }}"),
        ("{{ nodes.fetch.ouput.best.name }}", PORT, 16, "{{ nodes.fetch.output.best.name }}"),
        ("{{ nodes.fetch.best.name }}", PORT, 16, "{{ nodes.fetch.output.best.name }}"),
        ("{{ ftech.best.nmae }}", NAME, 4, "{{ fetch.best.name }}"),
        ("{{ fetch.output.best.name }}", FIELD, 10, "{{ fetch.best.name }}"),
        ("{{ data.result.best.name }}", FIELD, 9, "{{ data.best.name }}"),
        ("{{ nodes.fetch.json.best.name }}", PORT, 16, "{{ nodes.fetch.output.best.name }}"),
        ("{{ json.best.name }}", NAME, 4, "{{ data.best.name }}"),
    ],
)
@pytest.mark.parametrize("field", ["text", "any"])
def test_a_misspelt_reference_is_an_error_at_its_character_and_is_mended(
    written: str, code: str, column: int, right: str, field: str
) -> None:
    workflow = shop(**{field: written})
    problem = the_one(workflow)
    assert (problem.severity, problem.code) == ("error", code)
    assert problem.pointer == f"/nodes/2/data/parameterValues/{field}"
    assert problem.message.endswith(f"(column {column})")
    after = assert_mended(workflow, problem)
    assert after.data["parameterValues"] == {field: right}


def test_a_node_is_also_found_by_its_name() -> None:
    workflow = shop(text="{{ nodes['Search the shop'].output.best.name }}")
    named = [
        replace(one, name="Search the shop") if one.id == "fetch" else one for one in workflow.nodes
    ]
    workflow = replace(workflow, nodes=tuple(named))
    assert_mended(workflow, the_one(workflow))


def test_a_node_whose_id_is_no_name_is_read_by_its_id() -> None:
    nodes = [replace(mcp("node-2", "find"), name="search"), mcp("b", text="{{ serach.best.name }}")]
    workflow = whole(nodes, ["node-2 > b"])
    assert assert_mended(workflow, the_one(workflow)).data["parameterValues"] == {
        "text": "{{ nodes['node-2'].output.best.name }}"
    }


def test_two_faults_of_one_text_have_one_patch() -> None:
    workflow = shop(text="{{ ftech.best.name }} {{ fetch.best.nmae }} {{ nobody.knows }}")
    first, second, third = problems(workflow)
    assert first.patch == second.patch
    assert third.patch is None
    after = mended(workflow, first)
    assert [one.code for one in problems(after)] == [NAME]
    text = "{{ fetch.best.name }} {{ fetch.best.name }} {{ nobody.knows }}"
    assert after.nodes[2].data["parameterValues"] == {"text": text}


@pytest.mark.parametrize(
    ("written", "code", "told"),
    [
        ("{{ fetch.wholly_else }}", FIELD, "'wholly_else'"),
        ("{{ fetch.count.unit }}", FIELD, "a whole number has no field 'unit'"),
        ("{{ fetch.best.tags.first }}", FIELD, "a list has no field 'first'"),
        ("{{ unheard_of.x }}", NAME, "'unheard_of'"),
        ("{{ nodes.unheard_of.output }}", NODE, "'unheard_of'"),
        ("{{ nodes.fetch.wholly_else }}", PORT, "an unknown port of 'fetch': 'wholly_else'"),
        ("{{ fetch.items[0].name[0] }}", FIELD, "text has no field '0'"),
        ("{{ later.url }}", "REFERENCE_NOT_RUN", "'later', which runs only after this node"),
        ("{{ nodes.send.output }}", "REFERENCE_NOT_RUN", "'send', which runs only after this node"),
        ("{{ loop.index }}", "REFERENCE_OUTSIDE_LOOP", "only available inside a loop body"),
    ],
)
def test_what_cannot_be_guessed_is_an_error_without_a_patch(
    written: str, code: str, told: str
) -> None:
    problem = the_one(shop(any=written))
    assert (problem.severity, problem.code, problem.patch) == ("error", code, None)
    assert told in problem.message
    assert "column" in problem.message


@pytest.mark.parametrize(
    "written",
    [
        "{{ has(data.nmae) ? data.nmae : '' }}",
        "{{ data.?nmae.orValue('') }}",
        "{{ has(nodes.later.output.url) ? nodes.later.output.url : '' }}",
        "{{ has(later.url) ? later.posted : false }}",
    ],
)
def test_what_is_asked_for_with_has_is_never_wrong(written: str) -> None:
    assert problems(shop(any=written)) == []


def test_a_node_in_a_parallel_branch_is_connected_by_the_patch() -> None:
    workflow = shop(text="{{ lonely.best.name }}", any="{{ lonely.count }}")
    problem = the_one(workflow)
    assert (problem.severity, problem.code) == ("error", "REFERENCE_NOT_RUN")
    assert "is not connected to this node" in problem.message
    assert "connect 'lonely' to 'send'" in (problem.hint or "")
    after = mended(workflow, problem)
    assert problems(after) == []
    assert after.edges[-1] == Edge(after.edges[-1].id, after.nodes[4].id, after.nodes[2].id)


def test_a_node_that_reads_what_comes_in_is_not_connected_for_it() -> None:
    problem = the_one(shop(text="{{ lonely.best.name }} {{ data.count }}"))
    assert (problem.code, problem.patch) == ("REFERENCE_NOT_RUN", None)


def test_a_group_never_runs() -> None:
    workflow = whole([node("box", "group"), mcp("a", any="{{ box.x }}")], ["box > a"])
    assert the_one(workflow).code == "REFERENCE_NOT_RUN"


def test_a_field_that_an_open_schema_does_not_name_is_a_warning_with_the_fix() -> None:
    workflow = whole([mcp("a"), mcp("b", any="{{ a.ulr }}")], ["a > b"])
    problem = the_one(workflow)
    assert (problem.severity, problem.code) == ("warning", FIELD)
    assert assert_mended(workflow, problem).data["parameterValues"] == {"any": "{{ a.url }}"}


@pytest.mark.parametrize(
    ("field", "written", "right"),
    [
        ("text", "{{ fetch.count }}", "{{ string(fetch.count) }}"),
        ("text", "{{ fetch.done }}", "{{ string(fetch.done) }}"),
        ("text", "{{ size(fetch.items) }}", "{{ string(size(fetch.items)) }}"),
        ("times", "{{ fetch.items[0].name }}", "{{ int(fetch.items[0].name) }}"),
        ("share", "{{ fetch.items[0].name }}", "{{ double(fetch.items[0].name) }}"),
        ("times", " {{ fetch.count }} ", "{{ fetch.count }}"),
        ("labels", "{{ fetch.items[0].name }}", "{{ [fetch.items[0].name] }}"),
        ("text", "{{ fetch.items[0] }}", "{{ fetch.items[0].name }}"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error_with_the_conversion(
    field: str, written: str, right: str
) -> None:
    workflow = shop(**{field: written})
    problem = the_one(workflow)
    assert (problem.severity, problem.code) == ("error", MISFIT)
    assert problem.pointer == f"/nodes/2/data/parameterValues/{field}"
    assert assert_mended(workflow, problem).data["parameterValues"] == {field: right}


def test_a_mended_reference_is_converted_where_it_would_not_fit() -> None:
    workflow = shop(text="{{ data.cuont }}")
    after = assert_mended(workflow, the_one(workflow))
    assert after.data["parameterValues"] == {"text": "{{ string(data.count) }}"}


def test_a_value_deep_in_an_argument_is_judged_too() -> None:
    workflow = shop(deep={"text": "{{ fetch.count }}"})
    problem = the_one(workflow)
    assert (problem.code, problem.pointer) == (MISFIT, "/nodes/2/data/parameterValues/deep/text")
    assert_mended(workflow, problem)


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("times", "{{ fetch.items }}"),
        ("times", "{{ fetch.count }} items"),
        ("kind", "{{ fetch.count }}"),
    ],
)
def test_a_value_that_nothing_converts_is_an_error_without_a_patch(
    field: str, written: str
) -> None:
    problem = the_one(shop(**{field: written}))
    assert (problem.severity, problem.code, problem.patch) == ("error", MISFIT, None)


def test_the_nodes_own_parameters_judge_where_no_server_can_be_asked() -> None:
    parameters: Json = [{"name": "text", "type": "string", "required": True}]
    values: Json = {"text": "{{ size(data.x) }}"}
    sender = node(
        "b", "mcp", serverId="x", toolName="y", parameters=parameters, parameterValues=values
    )
    workflow = whole([node("a", "start"), sender], ["a > b"])
    assert the_one(workflow).code == MISFIT


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("data.cuont > 3", "data.count > 3"),
        ("count > 3", "data.count > 3"),
        ("fetch.cuont > 3 && data.done", "fetch.count > 3 && data.done"),
    ],
)
def test_a_condition_reads_what_comes_in(condition: str, right: str) -> None:
    workflow = conditional(condition)
    problem = the_one(workflow)
    assert problem.severity == "error"
    assert problem.pointer == "/nodes/1/data/configurations/condition_expression"
    after = assert_mended(workflow, problem)
    assert after.data["configurations"] == {"condition_expression": right}


def test_a_condition_that_is_no_boolean_is_an_error() -> None:
    problem = the_one(conditional("data.count"))
    assert (problem.severity, problem.code) == ("error", "EXPRESSION_NOT_CONDITION")
    assert problems(conditional("data.count > 0")) == []


def test_older_syntax_is_read_and_mended_in_ours() -> None:
    gate = catalog("gate", "FLOW.IF", condition_expression="input.cuont === 3")
    send = mcp("send", any='{{$node["fetch"].output.cuont}}')
    workflow = whole([mcp("fetch", "find"), gate, send], ["fetch > gate", "gate.true > send"])
    first, second = problems(workflow, "agent-team")
    assert (first.code, second.code) == (FIELD, FIELD)
    assert assert_mended(workflow, first, "agent-team").data["configurations"] == {
        "condition_expression": "input.count == 3"
    }
    assert assert_mended(workflow, second, "agent-team").data["parameterValues"] == {
        "any": "{{nodes.fetch.output.count}}"
    }


def test_a_node_that_passes_its_input_on_carries_it() -> None:
    nodes = [
        mcp("fetch", "find"),
        catalog("wait", "FLOW.DELAY"),
        mcp("send", any="{{ data.cuont }}"),
    ]
    workflow = whole(nodes, ["fetch > wait", "wait > send"])
    assert the_one(workflow).code == FIELD


def test_fields_of_our_own_nodes_are_known() -> None:
    ask = catalog("ask", "AI_AGENT.OPENAI_CHATGPT", {"user_prompt": "Hi"})
    workflow = whole(
        [node("s", "start"), ask, mcp("b", text="{{ ask.contnet }}")], ["s > ask", "ask > b"]
    )
    assert assert_mended(workflow, the_one(workflow)).data["parameterValues"] == {
        "text": "{{ ask.content }}"
    }


def test_the_declared_inputs_of_the_run_are_known() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"topic": {"type": "string"}},
        "additionalProperties": False,
    }
    workflow = whole([node("s", "start"), mcp("b", text="{{ trigger.tpoic }}")], ["s > b"])
    assert problems(workflow) == []
    workflow = replace(workflow, extras={"inputSchema": schema})
    problem = the_one(workflow)
    assert (problem.severity, problem.code) == ("error", FIELD)
    assert_mended(workflow, problem)


def test_a_required_input_that_nothing_can_feed_is_an_error() -> None:
    merge = catalog("m", "MEMORY.VECTOR_DATABASE")
    claude = catalog("sum", "AI_AGENT.ANTHROPIC_CLAUDE")
    workflow = whole([node("s", "start"), merge, claude], ["s > m", "m > sum"])
    problem = the_one(workflow)
    assert (problem.severity, problem.code) == ("error", "INPUT_MISSING")
    assert "'user_prompt'" in problem.message


def test_a_required_input_is_not_filled_with_an_unrelated_field() -> None:
    buffer = catalog("m", "MEMORY.CONVERSATION_BUFFER")
    claude = catalog("sum", "AI_AGENT.ANTHROPIC_CLAUDE", {})
    workflow = whole([node("s", "start"), buffer, claude], ["s > m", "m > sum"])
    problem = the_one(workflow)
    assert (problem.code, problem.patch) == ("INPUT_MISSING", None)
    assert problem.hint is not None
    assert "user_prompt" in problem.hint
    assert "summary" in problem.hint


def test_a_disabled_node_has_only_warnings() -> None:
    gate = catalog("gate", "FLOW.IF", condition_expression="data.cuont > 1", enabled=False)
    workflow = whole([mcp("fetch", "find"), gate], ["fetch > gate"])
    assert the_one(workflow).severity == "warning"


def test_a_loop_has_its_variables_in_its_body_and_nowhere_else() -> None:
    loop = catalog("each", "FLOW.LOOP", loop_type="for_each", iteration_variable="page")
    body = mcp("body", any="{{ page.x + string(loop.index) + loop.item.y + string(data.page) }}")
    nodes = [
        node("s", "start"),
        loop,
        body,
        mcp("last"),
        mcp("after", any="{{ each.final_result.x }}"),
    ]
    edges = ["s > each", "each.loop > body", "body > last", "last > each.next", "each.done > after"]
    assert problems(whole(nodes, edges)) == []
    assert problems(whole(nodes, [one for one in edges if ".next" not in one])) == []
    for text, code in (("page.x", "REFERENCE_OUTSIDE_LOOP"), ("body.url", "REFERENCE_NOT_RUN")):
        outside = [*nodes[:-1], mcp("after", any=f"{{{{ {text} }}}}")]
        assert the_one(whole(outside, edges)).code == code


def test_a_prompt_name_that_nothing_gives_is_a_warning_and_a_misspelt_one_is_mended() -> None:
    prompt = node(
        "p",
        "prompt",
        prompt="Since {{tga}}: {{ unheard }} {{tag}} {{ s.x }}",
        variables={"tag": "v1"},
    )
    workflow = whole([node("s", "start"), prompt], ["s > p"])
    first, second = problems(workflow)
    assert {first.code, second.code} == {"PROMPT_NAME_UNKNOWN"}
    assert {first.severity, second.severity} == {"warning"}
    assert second.patch is None
    after = assert_mended(workflow, first)
    assert after.data["prompt"] == "Since {{tag}}: {{ unheard }} {{tag}} {{ s.x }}"


def flow(template: str) -> Workflow:
    nodes = [
        node("node-1", "multi_input", variables=["topic", "budget"]),
        node("node-2", "template", template="About {topic}."),
        node("node-3", "template", template=template),
        node("node-4", "template", template="{node3_result}"),
    ]
    return whole(nodes, ["node-1 > node-2", "node-2 > node-3", "node-3 > node-4"])


@pytest.mark.parametrize(
    "template", ["{topic} for {budget}: {node2_result}{node-2_result}", '{"a": 1} {} { topic }']
)
def test_a_flow_whose_variables_all_have_values_is_right(template: str) -> None:
    assert problems(flow(template)) == []


def test_a_flow_variable_that_nothing_gives_is_missing() -> None:
    workflow = flow("{buget} {node2_reslt}")
    first, second = problems(workflow)
    assert (first.code, second.code) == ("MISSING_VARIABLES", "MISSING_VARIABLES")
    after = assert_mended(workflow, first)
    assert after.data["template"] == "{budget} {node2_result}"
    closed: JsonObject = {"type": "object", "additionalProperties": False}
    strict = replace(workflow, extras={"inputSchema": closed})
    assert {one.severity for one in problems(workflow)} == {"warning"}
    assert {one.severity for one in problems(strict)} == {"error"}


def test_the_result_of_a_later_node_cannot_be_had() -> None:
    problem = the_one(flow("{node4_result}"))
    assert (problem.severity, problem.code) == ("error", "REFERENCE_NOT_RUN")


def test_plain_words_in_a_branch_are_left_alone() -> None:
    branches: Json = [
        {"label": "a", "condition": "approved"},
        {"label": "b", "condition": "the answer is no"},
        {"label": "c", "condition": "data.cuont > 3"},
    ]
    workflow = whole([mcp("fetch", "find"), node("b", "ifElse", branches=branches)], ["fetch > b"])
    problem = the_one(workflow)
    assert problem.pointer == "/nodes/1/data/branches/2/condition"


def test_the_examples_of_our_own_nodes_have_no_problem() -> None:
    for spec in known().catalog:
        for example in spec.examples:
            made = catalog("n", spec.ref, example.input_params, **example.configurations)
            assert problems(whole([node("s", "start"), made], ["s > n"])) == []


@pytest.mark.parametrize("name", FILES)
def test_a_sample_has_no_error(name: str) -> None:
    loaded = sample(name)
    for workflow in (loaded.workflow, *loaded.workflow.subflows):
        found = problems(workflow, loaded.format)
        assert [one for one in found if one.severity == "error"] == []


RIGHT: dict[str, tuple[str, ...]] = {
    "text": (
        "{{ %s.items[0].name }}",
        "{{ %s.best.name }}",
        "{{ string(%s.count) }}",
        "{{ nodes.%s.output.items.map(i, i.name).join(', ') }}",
        "{{ nodes['%s'].result.items[0]['name'] }} and {{ %s.count }}",
        "{{ %s.extra.whatever.there }}",
    ),
    "times": ("{{ %s.count }}", "{{ size(%s.items) }}", "{{ %s.extra }}", "{{ %s.took }}"),
    "labels": ("{{ %s.items[0].tags }}", "{{ nodes.%s.output.items.map(i, i.name) }}"),
    "any": ("{{ %s }}", "{{ %s.items.filter(i, i.price > 2.0) }}", "{{ has(%s.nothing) }}"),
}


@st.composite
def right_workflows(draw: st.DrawFn) -> Workflow:
    """Graphs of searches and posts that read only what ran before them and gives it."""
    count = draw(st.integers(2, 9))
    nodes = [node("start", "start")]
    edges: list[str] = []
    before: list[set[str]] = [set()]
    for at in range(1, count):
        parents = draw(st.sets(st.integers(0, at - 1), min_size=1, max_size=3))
        seen = {name for one in parents for name in before[one] | {nodes[one].id}}
        finders = sorted(name for name in seen if name.startswith("find"))
        values: JsonObject = {}
        for field in draw(st.sets(st.sampled_from(sorted(RIGHT)))) if finders else ():
            source = draw(st.sampled_from(finders))
            text = draw(st.sampled_from(RIGHT[field]))
            values[field] = text.replace("%s", source)
        is_finder = draw(st.booleans())
        made = mcp(f"find{at}", "find") if is_finder else mcp(f"post{at}", **values)
        edges += [f"{nodes[one].id} > {made.id}" for one in sorted(parents)]
        nodes.append(made)
        before.append(seen)
    order = draw(st.permutations(range(len(nodes))))
    return whole([nodes[one] for one in order], edges)


@given(right_workflows())
@steady(100)
def test_a_workflow_that_is_right_by_construction_has_no_problem(workflow: Workflow) -> None:
    assert problems(workflow) == []


@given(right_workflows(), st.sampled_from(("itmes", "cuont", "bset")))
@steady(40)
def test_one_fault_in_a_right_workflow_is_found_and_mended(workflow: Workflow, wrong: str) -> None:
    finder = next((one.id for one in workflow.nodes if one.id.startswith("find")), None)
    if finder is None:
        return
    last = mcp("last", any=f"{{{{ {finder}.{wrong} }}}}")
    workflow = whole([*workflow.nodes, last], [*_drawn(workflow), f"{finder} > last"])
    problem = the_one(workflow)
    assert problem.code == FIELD
    assert problems(mended(workflow, problem)) == []


def _drawn(workflow: Workflow) -> list[str]:
    return [f"{one.source} > {one.target}" for one in workflow.edges]


@given(WORKFLOWS)
@steady(40)
def test_arbitrary_workflows_are_read_without_a_crash(workflow: Workflow) -> None:
    for problem in problems(workflow):
        assert problem.pointer.startswith("/nodes/")
        if problem.patch:
            assert problems(mended(workflow, problem)) is not None


@pytest.mark.parametrize(
    "data",
    [
        {"parameterValues": "{{ x }}"},
        {"parameterValues": ["{{ x }}"]},
        {"parameterValues": {"a": {"b": ["{{ x.y }}", None]}}, "parameters": {"a": 1}},
        {"parameterValues": {"a": "{{ x"}, "serverId": 1},
    ],
)
def test_broken_nodes_do_not_crash(data: dict[str, object]) -> None:
    broken = replace(node("a", "mcp"), data=cast(JsonObject, data))
    assert {one.code for one in problems(whole([broken]))} <= {NAME}
