"""A node's specification: the one source of both catalog formats, forms, checks and search.

`Field` uses the catalog's own small type language; the JSON Schema that checks and
forms use is derived from it (`schema.py`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from toolweave.catalog.fields import Field as Field
from toolweave.catalog.fields import FieldType as FieldType
from toolweave.catalog.node_input import NodeInput
from toolweave.json_text import Json, JsonObject
from toolweave.settings import QUEUE_PATTERN

NodeType = Literal[
    "TRIGGER",
    "AI_AGENT",
    "ACTION",
    "EXTERNAL_ACTION",
    "FLOW",
    "HUMAN_IN_THE_LOOP",
    "TOOL",
    "MEMORY",
    "MCP",
]
Effect = Literal["pure", "keyed", "once"]
# Refuses (`Invalid`) what no run could do, by `refused_at`. Validation calls it with the values of
# the document, where a template stands for any value; the node calls it with the resolved ones.
StaticCheck: TypeAlias = Callable[[NodeInput], object]

NODE_TYPES: tuple[NodeType, ...] = get_args(NodeType)


def terms(text: str) -> tuple[str, ...]:
    """Return the items of a comma-separated list."""
    return tuple(term.strip() for term in text.split(","))


@dataclass(frozen=True, slots=True)
class DataFormat:
    """The data of a port."""

    mime_type: str
    schema: str | None = None  # a JSON Schema, as text
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Port:
    """A place to connect to; most nodes have one way in and one way out."""

    name: str
    description: str
    type: str = "main"
    required: bool = False
    max_connections: int = -1  # -1 = any number
    data_format: DataFormat | None = None
    validation_schema: JsonObject | None = None
    # What the original system calls it; workflows that name it so are read.
    aliases: tuple[str, ...] = ()
    # A setting, then those of its values with which the port is ever taken.
    used_when: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A realistic use, with the expected output where the node is deterministic."""

    name: str
    description: str
    configurations: JsonObject
    input_params: JsonObject = field(default_factory=dict[str, Json])
    expected_output: JsonObject | None = None
    # The port it leaves by, and those it leaves by as well.
    port: str = "output"
    also: tuple[str, ...] = ()

    @property
    def ports(self) -> tuple[str, ...]:
        """Every port it leaves by."""
        return (self.port, *self.also)


COMMON_CONFIGURATIONS: tuple[Field, ...] = (
    Field("timeout", "integer", "The node's time limit in seconds.", 420, minimum=1),
    Field("retry_attempts", "integer", "Retries after a failure.", 3, minimum=0, maximum=10),
    Field("enabled", "boolean", "Whether the node runs; a disabled node is skipped.", True),
)
# Every node may have it; the catalog does not list it, because it says nothing about the node.
QUEUE = Field("queue", "string", "The queue whose workers execute the node.", pattern=QUEUE_PATTERN)

INPUT = Port("input", "The output of the previous node.")
OUTPUT = Port("output", "The output for the next node.")


@dataclass(frozen=True, slots=True)
class SpecOrigin:
    """The tool of a connected server that an entry stands for; its texts are the server's."""

    server: str
    tool: str
    input_schema: JsonObject
    output_schema: JsonObject | None = None
    # What a reader should know before trusting its texts.
    cautions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """Everything about a node but its code."""

    type: NodeType
    subtype: str
    summary: str
    effect: Effect
    configurations: tuple[Field, ...] = ()
    inputs: tuple[Field, ...] = ()
    outputs: tuple[Field, ...] = ()
    input_ports: tuple[Port, ...] = (INPUT,)
    output_ports: tuple[Port, ...] = (OUTPUT,)
    tags: tuple[str, ...] = ()
    # Other words people use for it; the cheapest lever of a good search.
    keywords: tuple[str, ...] = ()
    guidance: str | None = None
    attached_nodes: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    version: str = "1.0.0"
    # Set for a tool of a connected server, unset for a node of ours.
    origin: SpecOrigin | None = None
    checks: Sequence[StaticCheck] = field(default=(), compare=False, repr=False)
    # `FLOW.IF`, the name it goes by.
    ref: str = field(init=False, compare=False, repr=False)
    # Its own configurations and those every node has.
    all_configurations: tuple[Field, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        own = {given.name for given in self.configurations}
        common = tuple(given for given in COMMON_CONFIGURATIONS if given.name not in own)
        object.__setattr__(self, "ref", f"{self.type}.{self.subtype}")
        object.__setattr__(self, "all_configurations", self.configurations + common)

    @property
    def passes_data(self) -> bool:
        """Whether its first output is `data`, which alone the next node gets."""
        return self.origin is None and bool(self.outputs) and self.outputs[0].name == "data"
