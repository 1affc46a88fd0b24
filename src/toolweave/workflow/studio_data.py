"""What the studio keeps in a workflow's metadata for trying it out: pinned outputs, a test event.

It is part of the file, so that it is saved, undone and converted with it. Only runs of the editor
use it; the copies that are published, activated or exported are made without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import Workflow

KEY = "studio"


@dataclass(frozen=True, slots=True)
class PinnedOutput:
    """The output that a node has without being executed; no ports mean the usual ones."""

    value: Json
    ports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EventSample:
    """An event that a trigger received, kept to start test runs with."""

    node: str
    inputs: JsonObject


def pins_of(workflow: Workflow) -> dict[str, PinnedOutput]:
    """The pinned outputs by node id; whatever has another form is no pin."""
    known = {node.id for node in workflow.nodes}
    pins = read_pins(_studio(workflow).get("pins"))
    return {name: pin for name, pin in pins.items() if name in known}


def read_pins(pins: Json) -> dict[str, PinnedOutput]:
    """Pins of a file or a journal."""
    return {
        name: PinnedOutput(pin["output"], _ports(pin.get("ports")))
        for name, pin in (pins.items() if isinstance(pins, dict) else ())
        if isinstance(pin, dict) and "output" in pin
    }


def write_pins(pins: Mapping[str, PinnedOutput]) -> JsonObject | None:
    """Pins as they are stored; nothing if there are none."""
    written: JsonObject = {
        name: {"output": pin.value, **({"ports": [*pin.ports]} if pin.ports else {})}
        for name, pin in pins.items()
    }
    return written or None


def sample_event_of(workflow: Workflow) -> EventSample | None:
    """The kept test event, if its trigger still exists."""
    sample = _studio(workflow).get("testEvent")
    if not isinstance(sample, dict):
        return None
    node, inputs = sample.get("node"), sample.get("inputs")
    if not isinstance(node, str) or not isinstance(inputs, dict) or workflow.node(node) is None:
        return None
    return EventSample(node, inputs)


def without_studio_data(workflow: Workflow) -> Workflow:
    """The workflow as it is published, activated and exported."""
    if KEY not in workflow.metadata:
        return workflow
    kept = {name: value for name, value in workflow.metadata.items() if name != KEY}
    return replace(workflow, metadata=kept)


def _studio(workflow: Workflow) -> Mapping[str, Json]:
    found = workflow.metadata.get(KEY)
    return found if isinstance(found, dict) else {}


def _ports(value: Json) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
