"""Names that name a server, `MCP:slack/post_message`: looked for within that server alone."""

from collections.abc import Callable, Mapping

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from toolweave.catalog.index import Catalog
from toolweave.catalog.names import skeleton, words_of
from toolweave.catalog.spec import NodeSpec

PREFIX = "MCP:"
CLOSE = 60
MAX_SUGGESTIONS = 3
MAX_TYPOS = 2

Tools = Mapping[str, list[NodeSpec]]


def server_of(node_type: str, subtype: str) -> tuple[str, str] | None:
    """The server and the tool that a name spells out; nothing where it names no server."""
    for text in (subtype, node_type):
        text = text.strip().removeprefix("TOOL.")
        if text[: len(PREFIX)].upper() == PREFIX and "/" in text:
            server, _, tool = text[len(PREFIX) :].partition("/")
            return server.strip(), tool.strip()
    return None


def tools_of(catalog: Catalog, server: str) -> Tools:
    """The tools of a server by their letters, however the server's name is written."""
    return catalog.tools_by_server.get(skeleton(words_of(server)), {})


def close_tools(tools: Tools, tool: str) -> list[NodeSpec]:
    """The tools whose names come closest, the best first."""
    found = process.extract(
        skeleton(words_of(tool)),
        tools.keys(),
        scorer=fuzz.ratio,
        score_cutoff=CLOSE,
        limit=MAX_SUGGESTIONS,
    )
    return [spec for letters, _, _ in found for spec in tools[letters]]


def misspelt_tools(
    tools: Tools, tool: str, is_misspelt: Callable[[str, str], bool]
) -> list[NodeSpec]:
    """The tools that `tool` may be a typo of."""
    given = skeleton(words_of(tool))
    near = process.extract(
        given, tools.keys(), scorer=OSA.distance, score_cutoff=MAX_TYPOS, limit=None
    )
    return [
        spec for letters, _, _ in near if is_misspelt(given, letters) for spec in tools[letters]
    ]
