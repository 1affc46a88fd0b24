"""The flowchart alone, as a Mermaid file."""

from toolweave.export.diagram import diagram
from toolweave.export.embedded_graph import carried_in_mermaid, signed
from toolweave.export.exporter import ExportedFile
from toolweave.export.file_names import stem_of
from toolweave.problems import Problem
from toolweave.workflow.model import Workflow


class MermaidTarget:
    """A drawing, and the graph it was drawn from."""

    name = "mermaid"
    summary = "A flowchart in Mermaid."

    def files(self, workflow: Workflow, graph: Workflow) -> tuple[ExportedFile, ...]:
        """One file beside nothing else."""
        text = f"{diagram(workflow)}\n{carried_in_mermaid(graph)}\n"
        return (ExportedFile(f"{stem_of(workflow)}.mmd", signed(text, workflow, "%% {}")),)

    def lacks(self, workflow: Workflow) -> list[Problem]:
        """It is not run, so it lacks nothing."""
        return []


exporter = MermaidTarget()
