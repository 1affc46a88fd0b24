"""Names that name a server, `MCP:slack/post_message`: looked for within that server alone."""

from rapidfuzz import fuzz, process

from toolweave.catalog.index import Catalog
from toolweave.catalog.names import skeleton, words_of
from toolweave.catalog.spec import NodeSpec

PREFIX = "MCP:"
CLOSE = 60
MAX_SUGGESTIONS = 3


def server_of(node_type: str, subtype: str) -> tuple[str, str] | None:
    """The server and the tool that a name spells out; nothing where it names no server."""
    for text in (subtype, node_type):
        text = text.strip().removeprefix("TOOL.")
        if text[: len(PREFIX)].upper() == PREFIX and "/" in text:
            server, _, tool = text[len(PREFIX) :].partition("/")
            return server.strip(), tool.strip()
    return None


def tools_of(catalog: Catalog, server: str) -> list[NodeSpec]:
    """The tools of a server, however its name is written."""
    wanted = skeleton(words_of(server))
    return [
        spec
        for spec in catalog.of_type("TOOL")
        if spec.origin is not None and skeleton(words_of(spec.origin.server)) == wanted
    ]


def close_tools(tools: list[NodeSpec], tool: str) -> list[NodeSpec]:
    """The tools whose names come closest, the best first."""
    names = {str(index): skeleton(words_of(_tool(spec))) for index, spec in enumerate(tools)}
    found = process.extract(
        skeleton(words_of(tool)),
        names,
        scorer=fuzz.ratio,
        score_cutoff=CLOSE,
        limit=MAX_SUGGESTIONS,
    )
    return [tools[int(index)] for _, _, index in found]


def same_letters(tools: list[NodeSpec], tool: str) -> list[NodeSpec]:
    """The tools with the letters of `tool`, whatever the case and the separators."""
    wanted = skeleton(words_of(tool))
    return [spec for spec in tools if skeleton(words_of(_tool(spec))) == wanted]


def _tool(spec: NodeSpec) -> str:
    return spec.origin.tool if spec.origin is not None else spec.subtype
