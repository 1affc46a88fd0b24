"""A thin entry: it calls the tool that a workflow is published as, instead of listing its steps."""

from collections.abc import Iterator
from dataclasses import replace

from toolweave.errors import Invalid
from toolweave.export.convert import exporter_of
from toolweave.export.embedded_graph import signed
from toolweave.export.exporter import Export, ExportedFile
from toolweave.export.file_names import stem_of
from toolweave.export.frontmatter import frontmatter
from toolweave.export.inputs import input_lines
from toolweave.export.target import MarkdownTarget
from toolweave.export.user_text import code, disarmed, one_line, without_arguments
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import Workflow

# What clients call this program, as in the configuration that `serve` prints.
SERVER = "toolweave"
# The tools for a run that takes long or asks something.
RUN_TOOLS = ("run_status", "run_result", "run_respond")


def thin_export(workflow: Workflow, target: str, *, tool: str, inputs: JsonObject) -> Export:
    """The files that call `tool`, which takes `inputs`, for one target.

    Raises `Invalid`: `EXPORT_TARGET_UNKNOWN`; `EXPORT_REFUSED` for a target that is no text.
    """
    exporter = exporter_of(target)
    if not isinstance(exporter, MarkdownTarget):
        raise Invalid(
            "EXPORT_REFUSED",
            f"the target {target!r} cannot call a published tool",
            hint="choose a skill, command or prompt, or export without `--thin`",
        )
    # Without its nodes: only what the entry says about the whole.
    whole = replace(
        workflow, nodes=(), edges=(), subflows=(), extras={**workflow.extras, "inputSchema": inputs}
    )
    fields: dict[str, Json] = {**exporter.fields(whole)}
    if (prefix := exporter.terms.tool_prefix) is not None:
        names = (tool, *RUN_TOOLS)
        fields["allowed-tools"] = ", ".join(f"{prefix}{SERVER}__{name}" for name in names)
    words = without_arguments(
        disarmed("\n".join(_lines(whole, exporter, tool))),
        can_escape=exporter.terms.escapes_arguments,
    )
    text = frontmatter(fields) + "\n" + words + "\n"
    path = exporter.path.format(stem_of(workflow))
    return Export(exporter.name, (ExportedFile(path, signed(text, workflow)),))


def _lines(workflow: Workflow, target: MarkdownTarget, tool: str) -> Iterator[str]:
    yield f"# {one_line(workflow.name or workflow.id)}\n"
    yield f"Call the tool {code(tool)} of the MCP server {code(SERVER)} once. It runs the whole"
    yield "workflow and returns the result; do not repeat its steps yourself.\n"
    if lines := [f"- {line}" for line in input_lines(workflow)]:
        yield "## Inputs\n"
        yield "Use what the user gave; ask for the required values that are missing.\n"
        yield from lines
        yield ""
    yield "## Result\n"
    yield "- Show the user the result."
    yield f"- If it has a `run_id`, the run continues: call {code('run_status')} until it is"
    yield f"  finished, then {code('run_result')}."
    yield f"- If the run asks a question, {target.terms.asking}, and pass the answer to"
    yield f"  {code('run_respond')}. Never answer for the user."
    yield "- If it fails, show the error and the run's id. Do not call the tool again unless the"
    yield "  user asks: some of its steps may have happened."
