"""Workflow in, files out: no secret leaves, and nothing is written here."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid
from toolweave.export import discover
from toolweave.export.exporter import Export, Exporter
from toolweave.export.shareable import shareable
from toolweave.problems import did_you_mean
from toolweave.workflow.checks.context import KnownEnvironment
from toolweave.workflow.mcp_completion import completed_nodes
from toolweave.workflow.mode_check import check_mode
from toolweave.workflow.mode_status import LiveTools
from toolweave.workflow.model import Workflow
from toolweave.workflow.signature import signature


def checked_export(
    workflow: Workflow, target: str, *, specs: Iterable[NodeSpec], now: datetime, tools: LiveTools
) -> Export:
    """The same with MCP nodes completed from `tools`, and a warning for what is wrong with them.

    Raises `Invalid`: `EXPORT_TARGET_UNKNOWN`; `MCP_INVALID_MODE`, as an unknown mode means nothing
    to an agent.
    """
    completed = completed_nodes(workflow, now, tools)
    problems = [
        replace(one, pointer=f"/nodes/{index}/data{one.pointer}", severity="warning", patch=None)
        for index, node in enumerate(completed.nodes)
        for one in check_mode(node, now)
    ]
    if unknown := [one for one in problems if one.code == "MCP_INVALID_MODE"]:
        first = unknown[0]
        message = f"{first.pointer}: {first.message}"
        raise Invalid(first.code, message, problems=unknown, hint=first.hint)
    known = tuple(specs)
    inputs = signature(completed, KnownEnvironment(Catalog(known), now, pinned=tools)).inputs
    shown = replace(completed, extras={**completed.extras, "inputSchema": inputs})
    made = export(workflow, target, specs=known, shown=shown)
    return replace(made, problems=(*problems, *made.problems))


def export(
    workflow: Workflow, target: str, *, specs: Iterable[NodeSpec], shown: Workflow | None = None
) -> Export:
    """The files of `workflow` for `target`, with a warning for all that is hidden or lost.

    `specs` are the catalog's nodes: they define which fields are sensitive. The text describes
    `shown`; the graph that it carries is `workflow`.

    Raises `Invalid`: `EXPORT_TARGET_UNKNOWN`.
    """
    exporter = exporter_of(target)
    known = tuple(specs)
    graph, hidden = shareable(workflow, known)
    described = graph if shown is None else shareable(shown, known)[0]
    files = exporter.files(described, graph)
    return Export(exporter.name, files, (*hidden, *exporter.lacks(graph)))


def exporter_of(target: str) -> Exporter:
    """The exporter of this name. Raises `Invalid`: `EXPORT_TARGET_UNKNOWN`."""
    known = {exporter.name: exporter for exporter in discover()}
    if target not in known:
        raise Invalid(
            "EXPORT_TARGET_UNKNOWN",
            f"there is no target {target!r}",
            hint=did_you_mean(target, known) or f"choose one of {', '.join(known)}",
        )
    return known[target]
