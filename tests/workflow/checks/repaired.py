"""One node in a workflow of two, as it is after all offered fixes."""

from tests.workflow.corpus.bases import edge, node, whole, world

from toolweave import json_text
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.formats.load import load
from toolweave.workflow.report import Report, examine_loaded


def examined_node(ref: str, settings: JsonObject, inputs: JsonObject | None = None) -> Report:
    """The report on a workflow in which the node follows a trigger."""
    parts = {"configurations": settings, "inputParams": {"data": [], **(inputs or {})}}
    if inputs is not None:
        parts["inputParams"] = inputs
    nodes = [
        node("go", "TRIGGER.MANUAL", configurations={"trigger_name": "Go"}),
        node("act", ref, **parts),
    ]
    return examine_loaded(
        load(json_text.write(whole("w", nodes, [edge("go", "act")])).encode()), world("alone")
    )


def repaired_settings(ref: str, settings: JsonObject, inputs: JsonObject | None = None) -> Json:
    """The settings of the node after all fixes."""
    return _part("configurations", examined_node(ref, settings, inputs))


def repaired_inputs(ref: str, settings: JsonObject, inputs: JsonObject) -> Json:
    """The inputs of the node after all fixes."""
    return _part("inputParams", examined_node(ref, settings, inputs))


def _part(name: str, report: Report) -> Json:
    (found,) = (one for one in report.fixed.workflow.nodes if one.id == "act")
    return found.data.get(name)
