"""What a trigger node gives: the run's inputs, and for every output they lack what is known."""

from collections.abc import Mapping

from toolweave.catalog.node import NodeInput
from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json, JsonObject

_EMPTY: Mapping[str, Json] = {"string": "", "object": {}, "array": [], "integer": 0}


def inputs_of(given: NodeInput) -> JsonObject:
    """What the run was started with; nothing where that is no object."""
    return given.incoming if isinstance(given.incoming, dict) else {}


def started(spec: NodeSpec, given: NodeInput, known: Mapping[str, Json]) -> JsonObject:
    """All outputs of a trigger; more that the run was started with is kept beside them."""
    run = given.names.get("run")
    facts = run if isinstance(run, dict) else {}
    about_run: JsonObject = {
        "trigger_time": facts.get("started_at"),
        "execution_id": facts.get("id"),
    }
    value = dict(inputs_of(given))
    for wanted in spec.outputs:
        name = wanted.name
        # A delivery is written down before its run has an id.
        if value.get(name) is None or (name == "execution_id" and not value[name]):
            found = known.get(name, about_run.get(name))
            value[name] = _EMPTY.get(wanted.type) if found is None else found
    return value
