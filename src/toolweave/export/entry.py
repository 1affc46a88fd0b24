"""The entry of an export: frontmatter, body, the flows below it, the graph and the mark."""

from collections.abc import Mapping
from dataclasses import replace

from toolweave.export.agent_page import AgentPage, pages_of
from toolweave.export.agents import agent_files
from toolweave.export.embedded_graph import carried, signed
from toolweave.export.exporter import ExportedFile
from toolweave.export.frontmatter import frontmatter
from toolweave.export.guide import body
from toolweave.export.inputs import argument_hint
from toolweave.export.mcp_section import tool_names
from toolweave.export.target_terms import TargetTerms
from toolweave.export.user_text import code, disarmed, one_line, without_arguments
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.model import Workflow
from toolweave.workflow.modes import object_at

OPTIONS = "slashCommandOptions"
# Names of the options in frontmatter, in the order of formats.md §5.
KEYS: dict[str, str] = {
    "allowedTools": "allowed-tools",
    "model": "model",
    "context": "context",
    "disableModelInvocation": "disable-model-invocation",
    "argumentHint": "argument-hint",
    "hooks": "hooks",
}
# Default values.
_DEFAULTS = frozenset({"", "default", "inherit"})


def entry_files(
    workflow: Workflow,
    terms: TargetTerms,
    path: str,
    fields: Mapping[str, Json],
    graph: Workflow,
) -> tuple[ExportedFile, ...]:
    """The entry at `path`, and the agent files beside it."""
    first, *below = pages = pages_of(workflow, terms)
    text = without_arguments(disarmed(_text(first, below)), can_escape=terms.escapes_arguments)
    parts = [frontmatter(fields), text, carried(graph) + "\n"]
    entry = ExportedFile(path, signed("\n".join(parts), workflow))
    return (entry, *agent_files(pages))


def options_of(workflow: Workflow) -> JsonObject:
    """Return the editor's options that are set, by their names there."""
    given = object_at(workflow.extras, OPTIONS)
    found: JsonObject = {}
    for key in KEYS:
        value = given.get(key)
        if isinstance(value, str):
            value = one_line(value)
            value = None if value in _DEFAULTS else value
        if value:
            found[key] = value
    return found


def option_fields(workflow: Workflow, terms: TargetTerms) -> dict[str, Json]:
    """The frontmatter for the options that the target knows; inputs and tools are derived."""
    derived: JsonObject = {}
    if (hint := argument_hint(workflow)) is not None:
        derived["argumentHint"] = hint
    if tools := tool_names(workflow, terms):
        derived["allowedTools"] = ", ".join(tools)
    stated = options_of(workflow)
    found = {key: stated.get(key, derived.get(key)) for key in KEYS}
    return {KEYS[key]: value for key, value in found.items() if value and key in terms.options}


def _text(first: AgentPage, below: list[AgentPage]) -> str:
    """The body, and where flows have no files of their own, the flows after it."""
    parts = [body(first)]
    if first.terms.agents is None:
        for page in below:
            flow = page.workflow
            parts.append(f"## Flow {code(flow.id)} ({code(flow.name)})\n")
            parts.append(body(replace(page, depth=1)))
    return "\n".join(parts)
