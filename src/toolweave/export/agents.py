"""Agent files: one for each sub-agent and each sub-flow, for targets that keep such files."""

from collections.abc import Iterator

from toolweave.export.agent_page import AgentPage
from toolweave.export.embedded_graph import signed
from toolweave.export.exporter import ExportedFile
from toolweave.export.frontmatter import frontmatter
from toolweave.export.guide import body
from toolweave.export.user_text import disarmed, one_line, plain
from toolweave.json_text import Json
from toolweave.workflow.model import Node, Workflow
from toolweave.workflow.modes import text_at

MAX_DESCRIPTION = 1024
AGENT_FIELDS = ("tools", "model", "color", "memory")


def agent_files(pages: list[AgentPage]) -> Iterator[ExportedFile]:
    """The files of all pages; the first page is the workflow they all belong to."""
    owner = pages[0].workflow
    for page in pages:
        for at, name in page.agents.items():
            yield _agent(owner, page, name, page.workflow.nodes[at])
    written: set[str] = set()
    for page in pages[1:]:
        name = page.flows.get(page.workflow.id)
        if name and name not in written:
            written.add(name)
            yield _flow(owner, page, name)


def description_of(workflow: Workflow, limit: int = MAX_DESCRIPTION) -> str:
    """What a workflow is for, on one line; agents want one, and no tags in it."""
    text = workflow.description or f"Runs the workflow {workflow.name or workflow.id!r}."
    return without_tags(one_line(text, limit)) or "Runs a workflow."


def without_tags(text: str) -> str:
    """`text` with brackets that are no markup."""
    return text.replace("<", "\u2039").replace(">", "\u203a")


def agent_field(node: Node, key: str) -> str | None:
    """What a sub-agent says under `key`, where it says more than the default."""
    value = one_line(text_at(node.data, key))
    return value if value not in {"", "inherit"} else None


def _agent(owner: Workflow, page: AgentPage, name: str, node: Node) -> ExportedFile:
    data = node.data
    about = one_line(text_at(data, "description"), MAX_DESCRIPTION) or one_line(node.title)
    fields: dict[str, Json] = {"name": name, "description": without_tags(about) or name}
    for key in AGENT_FIELDS:
        if key in page.terms.agent_fields:
            fields[key] = agent_field(node, key)
    texts = [text_at(data, key) for key in ("agentDefinition", "prompt")]
    words = "\n\n".join(plain(text).strip() for text in texts if text.strip())
    return _file(owner, page, name, frontmatter(fields) + "\n" + disarmed(words) + "\n")


def _flow(owner: Workflow, page: AgentPage, name: str) -> ExportedFile:
    fields: dict[str, Json] = {"name": name, "description": description_of(page.workflow)}
    return _file(owner, page, name, frontmatter(fields) + "\n" + disarmed(body(page)))


def _file(owner: Workflow, page: AgentPage, name: str, text: str) -> ExportedFile:
    return ExportedFile(f"{page.terms.agents}/{name}.md", signed(text + "\n", owner))
