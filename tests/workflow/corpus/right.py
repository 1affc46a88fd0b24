"""Workflows that are right by construction: random graphs of real tools and catalog nodes.

Every value is built by a schema, every reference names what an earlier node certainly gives.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.tools.example import example_arguments, example_value
from tests.workflow.corpus.bases import (
    Document,
    a_list,
    an_object,
    edge,
    mcp,
    node,
    servers,
    whole,
    world,
)

from toolweave.catalog.spec import Field, NodeSpec
from toolweave.tools.tool import Tool

# What is no step of a line: it begins one, or serves an agent.
_ASIDE = frozenset({"TRIGGER", "TOOL", "MEMORY"})
# They call what is not there, or read the answer of a person themselves.
_SPECIAL = frozenset({"FLOW.SUBWORKFLOW", "FLOW.LOOP", "FLOW.FOR_EACH", "FLOW.MERGE"})
_PLAIN = frozenset({"type", "description", "title", "default", "examples"})


@dataclass
class Drawing:
    """A workflow as it grows."""

    random: Random
    name: str
    nodes: list[Document] = field(default_factory=list[Document])
    edges: list[Document] = field(default_factory=list[Document])
    # Texts that the nodes so far give, as expressions.
    texts: list[str] = field(default_factory=list[str])
    # Where the next node is joined: the last one, and the ports it certainly has.
    last: str = ""
    ports: tuple[str, ...] = ("output",)

    def add(self, one: Document, ports: tuple[str, ...] = ("output",)) -> None:
        """A node after the last one."""
        if self.last:
            self.edges.append(edge(self.last, one["id"], self.random.choice(self.ports)))
        self.nodes.append(one)
        self.last, self.ports = one["id"], ports

    def id(self, word: str) -> str:
        """An id that no node has; some are no plain names."""
        sign = self.random.choice(("-", "_", ""))
        return f"{word}{sign}{len(self.nodes)}"

    @property
    def document(self) -> Document:
        return whole(self.name, self.nodes, self.edges)


def right_workflow(seed: int) -> Document:
    """The workflow of this number, always the same."""
    random = Random(seed)
    drawing = Drawing(random, f"right-{seed}")
    is_drawn = random.random() < 0.4
    _begin(drawing, is_drawn=is_drawn)
    for _ in range(random.randint(1, 8)):
        if is_drawn:
            random.choice((_tool, _tool, _prompt, _question))(drawing)
        else:
            random.choice((_tool, _step, _step, _entry, _condition, _loop, _fork))(drawing)
    if is_drawn:
        drawing.add(node(drawing.id("end"), "end"))
    return drawing.document


def _begin(drawing: Drawing, *, is_drawn: bool) -> None:
    if is_drawn:
        drawing.add(node("start", "start"))
        drawing.texts.append("trigger.topic")
        return
    specs = [spec for spec in world("live").catalog.of_type("TRIGGER") if spec.examples]
    spec = drawing.random.choice(specs)
    _add_example(drawing, spec, "begin")


def _tool(drawing: Drawing) -> None:
    """An MCP node of a real tool, with arguments that its schema takes."""
    tool, values = _some_call(drawing.random)
    _refer(drawing, tool.input_schema.get("properties"), values)
    name = drawing.id("call")
    drawing.add(mcp(name, tool.server, tool.name, values))
    _give(drawing, name, tool.output_schema)


def _entry(drawing: Drawing) -> None:
    """The same as an entry of the catalog."""
    tool, values = _some_call(drawing.random)
    _refer(drawing, tool.input_schema.get("properties"), values)
    name = drawing.id("entry")
    drawing.add(node(name, f"TOOL.MCP:{tool.server}/{tool.name}", inputParams=values))
    _give(drawing, name, tool.output_schema)


def _some_call(random: Random) -> tuple[Tool, Document]:
    while True:
        tool = random.choice(servers()[random.choice(sorted(servers()))])
        values, _ = example_arguments(tool)
        if values is not None and tool.is_usable:
            return tool, dict(values) | _options(random, tool)


def _options(random: Random, tool: Tool) -> Document:
    """Some of the optional parameters, where they can be told one by one."""
    schema = tool.input_schema
    if schema.keys() & {"oneOf", "anyOf", "allOf", "$defs", "definitions", "dependentRequired"}:
        return {}
    properties: Any = schema.get("properties") or {}
    found: Document = {}
    for name, part in properties.items():
        value, problems = example_value(part)
        if name not in (schema.get("required") or []) and not problems and random.random() < 0.3:
            found[name] = value
    return found


def _refer(drawing: Drawing, properties: Any, values: Document) -> None:
    """Reads earlier texts where any text is taken."""
    for name in values:
        part = an_object(an_object(properties).get(name))
        is_free = part.get("type") == "string" and part.keys() <= _PLAIN
        if is_free and drawing.texts and drawing.random.random() < 0.5:
            asked = drawing.random.choice(drawing.texts)
            forms = (f"{{{{ {asked} }}}}", f"See {{{{ {asked} }}}}.", f"{{{{ string({asked}) }}}}")
            values[name] = drawing.random.choice(forms)


def _give(drawing: Drawing, name: str, schema: Any) -> None:
    """Notes the texts that a node certainly gives."""
    value = name if name.isidentifier() else f"nodes['{name}'].output"
    properties = an_object(an_object(schema).get("properties"))
    for one in a_list(an_object(schema).get("required")):
        if an_object(properties.get(one)).get("type") == "string":
            drawing.texts.append(f"{value}.{one}" if one.isidentifier() else f"{value}['{one}']")
    if schema is None:
        drawing.texts.append(f"{value}.text")


def _step(drawing: Drawing) -> None:
    """A catalog node as one of its examples shows it, with some more settings."""
    specs = [
        spec
        for spec in world("live").catalog
        if spec.type not in _ASIDE and spec.ref not in _SPECIAL and spec.examples
    ]
    _add_example(drawing, drawing.random.choice(specs), "step")


def _add_example(drawing: Drawing, spec: NodeSpec, word: str) -> None:
    example = drawing.random.choice(spec.examples)
    settings = dict(example.configurations)
    for given in spec.all_configurations:
        value = _setting(drawing.random, given)
        if given.name not in settings and value is not None and drawing.random.random() < 0.2:
            settings[given.name] = value
    inputs = dict(example.input_params)
    kinds = {one.name: {"type": "string"} for one in spec.inputs if one.type == "string"}
    free = {key: kinds[key] for key in kinds if not _limited(spec, key)}
    _refer(drawing, free, inputs)
    name = drawing.id(word)
    body: Document = {"configurations": settings}
    if inputs:
        body["inputParams"] = inputs
    drawing.add(node(name, spec.ref, **body), example.ports)
    value = name if name.isidentifier() else f"nodes['{name}'].output"
    texts = [one.name for one in spec.outputs if one.type == "string" and not one.options]
    drawing.texts += [f"{value}.{one}" for one in texts]


def _limited(spec: NodeSpec, name: str) -> bool:
    return any(one.name == name and (one.options or one.pattern) for one in spec.inputs)


def _setting(random: Random, given: Field) -> Any:
    """A value for an optional setting that changes nothing else; nothing where it might."""
    # Sorting needs a field as well.
    if given.name in {"enabled", "use_oauth", "sort_filtered_results"} or given.options:
        return None
    if given.type == "boolean":
        return random.random() < 0.5
    if given.type in ("integer", "float") and given.default is not None:
        return given.default
    return None


def _condition(drawing: Drawing) -> None:
    text = random_condition(drawing)
    name = drawing.id("if")
    given: Document = {"inputParams": {"data": {"count": 3}}} if "data." in text else {}
    settings = {"condition_expression": text}
    one = node(name, "FLOW.IF", configurations=settings, **given)
    drawing.add(one, ("true", "false"))


def random_condition(drawing: Drawing) -> str:
    """A condition on what earlier nodes gave, or on the node's own data."""
    conditions = ["data.count > 2", "has(data.count) && data.count != 3", "1 + 1 == 2"]
    conditions += [f"{text} != ''" for text in drawing.texts]
    conditions += [f"{text}.contains('a') || true" for text in drawing.texts]
    return drawing.random.choice(conditions)


def _loop(drawing: Drawing) -> None:
    """A loop whose body leads back, or simply ends."""
    name = drawing.id("loop")
    settings = {"loop_type": "for_range", "start_value": 1, "end_value": 3}
    drawing.add(
        node(name, "FLOW.LOOP", configurations=settings, inputParams={"data": {}}), ("loop",)
    )
    outside = list(drawing.texts)
    body = drawing.id("body")
    text = "round {{ loop.index }}"
    drawing.add(mcp(body, "demo", "echo", {"text": text}))
    if drawing.random.random() < 0.5:
        drawing.edges.append(edge(body, name, "output", "next"))
    drawing.texts = outside
    drawing.last, drawing.ports = name, ("done",)


def _fork(drawing: Drawing) -> None:
    """Two branches that are merged again."""
    before, ports = drawing.last, drawing.ports
    port = drawing.random.choice(ports)
    sides = [drawing.id("side"), drawing.id("other")]
    for side in sides:
        drawing.nodes.append(mcp(side, "demo", "counter", {"name": "n"}))
        drawing.edges.append(edge(before, side, port))
    name = drawing.id("merge")
    drawing.nodes.append(node(name, "FLOW.MERGE", configurations={"merge_strategy": "concatenate"}))
    drawing.edges += [edge(side, name) for side in sides]
    drawing.last, drawing.ports = name, ("output",)


def _prompt(drawing: Drawing) -> None:
    name = drawing.id("prompt")
    text = "Write about {{topic}} and {{ tone }}."
    drawing.add(node(name, "prompt", prompt=text, variables={"topic": "tea", "tone": "warm"}))


def _question(drawing: Drawing) -> None:
    options = [{"label": label, "description": f"Take {label}"} for label in ("this", "that")]
    name = drawing.id("ask")
    data: Document = {"questionText": "Which?", "options": options, "outputPorts": 2}
    drawing.add(node(name, "askUserQuestion", **data), ("branch-0", "branch-1"))


def right_workflows(count: int, first: int = 0) -> Iterator[Document]:
    """So many of them."""
    return (right_workflow(seed) for seed in range(first, first + count))
