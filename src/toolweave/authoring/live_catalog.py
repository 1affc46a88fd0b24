"""The live catalog: the built-in nodes and every approved tool of every enabled server.

Tools come from the lockfile, so that a query starts no server. Also counts how often each node is
queried.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping

import anyio
import anyio.to_thread

from toolweave.authoring.semantic_search import SemanticSearch
from toolweave.catalog.knowledge import Knowledge
from toolweave.catalog.live import spec_of
from toolweave.catalog.search import Meaning
from toolweave.catalog.spec import NodeSpec
from toolweave.catalog.tool_service import ToolService
from toolweave.catalog.usage import TOOL, UsageCounts
from toolweave.errors import ToolweaveError
from toolweave.home import Home
from toolweave.json_text import JsonObject
from toolweave.nodes.spec_cache import built_in_catalog
from toolweave.servers.known_servers import known_servers
from toolweave.servers.lockfile import Pin
from toolweave.tools.read_tool import read_tool

logger = logging.getLogger(__name__)

POLL_EVERY_S = 2.0
SAVE_EVERY_S = 5.0

Pins = Mapping[str, Mapping[str, Pin]]


class LiveCatalog:
    """Answers from `knowledge`, which is replaced when a server or its tools change.

    Without a home, or if it cannot be read, the built-in nodes are still available.
    """

    def __init__(self, home: Home | None) -> None:
        self._home = home
        self._built_in = built_in_catalog(home.settings.home if home else None)
        self._seen: Mapping[str, Mapping[str, str]] = {}
        self._specs: dict[tuple[str, str, str], NodeSpec | None] = {}
        self._is_failing = False
        self._meaning = _meaning(home)
        self.knowledge = Knowledge(self._built_in, meaning=self._meaning)

    async def refresh(self, *, prepare: bool = True) -> bool:
        """Read the home again; return whether anything changed. On failure nothing changes.

        A failure is logged once, not on every poll. Without `prepare` the first search builds the
        index.
        """
        if self._home is None:
            return False
        try:
            if prepare and self._meaning is not None and not self._seen:
                # Vectors of nodes take seconds; no query waits for them.
                await anyio.to_thread.run_sync(self.knowledge.prepare)
            changed = await self._take(await _pins(self._home), prepare)
        except (ToolweaveError, OSError):
            if not self._is_failing:
                logger.exception("catalog not refreshed")
            self._is_failing = True
            return False
        self._is_failing = False
        return changed

    async def follow(self, on_change: Callable[[], Awaitable[None]]) -> None:
        """Refresh until cancelled, calling `on_change` after each change."""
        while self._home is not None:
            await self._home.clock.sleep(POLL_EVERY_S)
            if await self.refresh():
                await on_change()

    async def _take(self, pins: Pins, prepare: bool) -> bool:
        seen = {
            name: {tool: pin.hash for tool, pin in tools.items()}
            for name, tools in pins.items()
            if tools
        }
        if seen == self._seen:
            return False
        # In a thread: this takes seconds for thousands of tools.
        self.knowledge = await anyio.to_thread.run_sync(self._read, pins, prepare)
        self._seen = seen
        return True

    def _read(self, pins: Pins, prepare: bool) -> Knowledge:
        known = {
            (server, tool, pin.hash): pin for server, of in pins.items() for tool, pin in of.items()
        }
        # Parsing a tool takes a millisecond; unchanged tools are not parsed again.
        self._specs = {
            key: self._specs[key] if key in self._specs else _spec_of(key[0], pin)
            for key, pin in known.items()
        }
        specs = {spec.subtype: spec for spec in self._specs.values() if spec is not None}
        knowledge = Knowledge(self._built_in.with_specs(specs.values()), meaning=self._meaning)
        if prepare:
            knowledge.prepare()
        return knowledge


def _meaning(home: Home | None) -> Meaning | None:
    if home is None or not home.settings.semantic_search:
        return None
    return SemanticSearch(home.settings.home)


class CountingToolService(ToolService):
    """Counts the nodes that are queried; the counts are saved if there is a home."""

    def __init__(self, catalog: LiveCatalog, home: Home | None) -> None:
        super().__init__(lambda: catalog.knowledge)
        self._clock = home.clock if home else None
        self._usage = UsageCounts(home.database, home.clock) if home else None

    def call(self, name: str, arguments: JsonObject, *, once: bool = False) -> JsonObject:
        """Answer one call; count it and its nodes."""
        answer = super().call(name, arguments, once=once)
        if self._usage is not None and not answer["isError"]:
            self._usage.note([f"{TOOL}{name}"])
            if name == "get_node_details":
                self._usage.note(_refs(answer))
        return answer

    async def keep_saving(self) -> None:
        """Save periodically until cancelled, and then once more."""
        try:
            while self._clock is not None:
                await self._clock.sleep(SAVE_EVERY_S)
                await self._save()
        finally:
            with anyio.CancelScope(shield=True):
                await self._save()

    async def _save(self) -> None:
        try:
            if self._usage is not None:
                await self._usage.save()
        except ToolweaveError:
            logger.exception("usage not saved")  # kept for the next save


def _refs(answer: JsonObject) -> Iterator[str]:
    content = answer["structuredContent"]
    nodes = content.get("nodes") if isinstance(content, dict) else None
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, dict) and "error" not in node:
            yield f"{node.get('node_type')}.{node.get('subtype')}"


def _spec_of(server: str, pin: Pin) -> NodeSpec | None:
    tool = read_tool(server, pin.definition)
    return spec_of(tool) if tool.is_usable else None


async def _pins(home: Home) -> Pins:
    names = [
        server.name
        for server in await known_servers(home.database)
        if server.enabled and server.is_approved
    ]
    # In a thread: the file may be large.
    return await anyio.to_thread.run_sync(
        lambda: {name: home.lockfile.pins(name) for name in names}
    )
