"""Instructions of each node type for a coding agent; MCP nodes are in `mcp_section`."""

import shlex
from collections.abc import Iterator

from toolweave.export.agent_page import AgentPage
from toolweave.export.user_text import code, fenced, one_line, prose
from toolweave.json_text import Json, JsonObject, write
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at, text_at

MCP_SUBTYPE = "MCP:"


def sub_agent_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """The agent to start, or its instructions where the target keeps no agent files."""
    data = node.data
    if built_in := text_at(data, "builtInType"):
        yield f"- **Built-in agent**: {code(built_in)}"
    elif at in page.agents:
        yield f"- **Agent**: {code(page.agents[at])}"
    yield from _facts(data, description="Description", model="Model", tools="Tools")
    if (definition := text_at(data, "agentDefinition")) and at not in page.agents:
        yield f"\nInstructions:\n\n{fenced(definition)}"
    if prompt := text_at(data, "prompt"):
        yield f"\nPrompt:\n\n{fenced(prompt)}"


def skill_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """The skill, where its file is, and what it is used for."""
    data = node.data
    yield f"- **Skill**: {code(text_at(data, 'name') or node.title)}"
    yield from _facts(
        data, description="Description", scope="Scope", skillPath="File", allowedTools="Tools"
    )
    if text_at(data, "executionMode") == "load":
        yield "- **Use**: load it as knowledge; do not run it."
    if prompt := text_at(data, "executionPrompt"):
        yield f"\nPrompt:\n\n{fenced(prompt)}"


def codex_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """The command that starts Codex, with the prompt for its standard input."""
    data = node.data
    options: list[str] = []
    for key, option in (("model", "--model"), ("sandbox", "--sandbox")):
        if value := one_line(text_at(data, key)):
            options += [option, value]
    if effort := one_line(text_at(data, "reasoningEffort")):
        options += ["--config", f"model_reasoning_effort={effort}"]
    command = shlex.join(["codex", "exec", "--skip-git-repo-check", *options, "-"])
    yield f"Run this with the `{page.terms.terminal}` tool, the prompt as standard input:\n"
    yield fenced(command, "sh")
    if text_at(data, "promptMode") == "ai-generated":
        yield "\nWrite the prompt yourself from the results so far, as described here:\n"
    else:
        yield "\nPrompt:\n"
    yield fenced(text_at(data, "prompt"))


def flow_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """Return the flow of a node: an agent file, or a part of this text."""
    flow = text_at(node.data, "subAgentFlowId")
    yield f"- **Flow**: {code(text_at(node.data, 'label') or node.title)}"
    if agent := page.flows.get(flow):
        yield f"- **Agent**: {code(agent)}"
    elif flow in page.flows:
        yield f"- **Steps**: the flow {code(flow)} at the end of this text"
    else:
        yield f"- **Steps**: none; the workflow has no flow {code(flow)}"
    yield from _facts(node.data, description="Description")


def prompt_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """The prompt and the values of its variables."""
    yield fenced(text_at(node.data, "prompt"))
    yield from _variables(node.data)


def question_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """The question and its answers, each a way out."""
    data = node.data
    yield f"Question:\n\n{fenced(text_at(data, 'questionText'))}\n"
    if data.get("multiSelect") is True:
        yield "- **Selection**: several answers may be chosen; they are passed on as a list."
    if data.get("useAiSuggestions") is True:
        yield "- **Answers**: suggest fitting ones yourself, from the results so far."
        return
    listed = data.get("options")
    for option in listed if isinstance(listed, list) else []:
        if isinstance(option, dict):
            about = prose(text_at(option, "description"))
            yield f"- {code(text_at(option, 'label'))}" + (f": {about}" if about else "")


def branch_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """What is judged, and the condition of each way out."""
    if target := prose(text_at(node.data, "evaluationTarget")):
        yield f"- **Judge**: {target}"
    listed = node.data.get("branches")
    for branch in listed if isinstance(listed, list) else []:
        if isinstance(branch, dict):
            is_default = branch.get("isDefault") is True
            condition = "when no other holds" if is_default else text_at(branch, "condition")
            yield f"- {code(text_at(branch, 'label'))}: {prose(condition)}"


def other_section(page: AgentPage, at: int, node: Node) -> Iterator[str]:
    """A node of the catalog, of a flow or of an unknown type: all that is known of it, as JSON."""
    subtype = text_at(node.data, "subtype")
    yield f"- **Type**: {code(node.ref or node.type)}"
    if node.type == "TOOL" and subtype.startswith(MCP_SUBTYPE):
        server, _, tool = subtype.removeprefix(MCP_SUBTYPE).partition("/")
        yield f"- **MCP tool**: call {code(tool)} of the server {code(server)}"
    shown: JsonObject = {
        key: value for key, value in node.data.items() if key not in {"subtype", "label"} and value
    }
    if shown:
        yield f"\n{fenced(write(shown, pretty=True), 'json')}"


def value_text(value: Json) -> str:
    """A value as code: text as it is, everything else as JSON."""
    return code(value) if isinstance(value, str) and value.strip() else code(write(value))


def _facts(data: JsonObject, **labels: str) -> Iterator[str]:
    for key, label in labels.items():
        if value := one_line(text_at(data, key)):
            yield f"- **{label}**: {prose(value) if key == 'description' else code(value)}"


def _variables(data: JsonObject) -> Iterator[str]:
    """Variables as a mapping, a list of names, or a list of `{key, value}` or `{name, default}`."""
    found: list[tuple[str, Json]] = list(object_at(data, "variables").items())
    listed = data.get("variables")
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, str):
            found.append((entry, None))
        elif isinstance(entry, dict):
            name = text_at(entry, "key") or text_at(entry, "name")
            found.append((name, entry.get("value", entry.get("default"))))
    if found:
        yield "\nVariables:\n"
    for name, value in found:
        yield f"- {code(name)}" + ("" if value is None else f": {value_text(value)}")
