"""Workflow in, files out: no secret leaves, and nothing is written here."""

from collections.abc import Iterable

from toolweave.catalog.spec import NodeSpec
from toolweave.errors import Invalid
from toolweave.export import discover
from toolweave.export.exporter import Export, Exporter
from toolweave.export.shareable import shareable
from toolweave.problems import did_you_mean
from toolweave.workflow.model import Workflow


def export(workflow: Workflow, target: str, *, specs: Iterable[NodeSpec]) -> Export:
    """The files of `workflow` for `target`, with a warning for all that is hidden or lost.

    `specs` are the catalog's nodes: they define which fields are sensitive.

    Raises `Invalid`: `EXPORT_TARGET_UNKNOWN`.
    """
    exporter = exporter_of(target)
    shared, hidden = shareable(workflow, specs)
    return Export(exporter.name, exporter.files(shared), (*hidden, *exporter.lacks(shared)))


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
