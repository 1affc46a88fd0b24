"""Checks, runs and clears documents, by their paths."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import anyio.to_thread

from toolweave.access.mask import Masker
from toolweave.documents.bindings import (
    Binding,
    Bindings,
    BrokenBinding,
    find_section,
    front_bindings,
)
from toolweave.documents.block_plan import Planned, due, held, plan, unknown_servers, within_limit
from toolweave.documents.block_runner import BlockRunner, WorkflowCaller
from toolweave.documents.document import Document, encoded, read_document
from toolweave.documents.files import assets_folder, read_file, replace_file
from toolweave.documents.parameters import placeholder_in
from toolweave.documents.render import Callout
from toolweave.documents.result_writer import ResultWriter
from toolweave.documents.results import without_results
from toolweave.documents.stored_bindings import StoredBinding, StoredBindings
from toolweave.errors import Denied, Invalid, Limited, NotFound
from toolweave.problems import Problem, did_you_mean, pointer
from toolweave.servers.connections import require_enabled
from toolweave.servers.definition import Server
from toolweave.servers.lockfile import Lockfile, Pin
from toolweave.servers.registry import Registry
from toolweave.settings import Limits
from toolweave.tasks import background
from toolweave.tools.check import check_arguments
from toolweave.tools.read_tool import read_tool
from toolweave.tools.tool import Tool, ToolCaller


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """A parsed document: its blocks, its bindings and its problems."""

    path: Path
    data: bytes
    document: Document
    planned: tuple[Planned, ...]
    kept: tuple[StoredBinding, ...]
    problems: tuple[Problem, ...]

    @property
    def is_sound(self) -> bool:
        """Whether there is no error."""
        return all(one.severity != "error" for one in self.problems)


@dataclass(frozen=True, slots=True)
class DocumentRunReport:
    """The outcome of a run of a document."""

    looked: DocumentReport
    results: Mapping[int, Callout] = field(default_factory=dict[int, Callout])
    is_cancelled: bool = False
    held: Limited | None = None
    # Results that have no place in the document as it is now.
    unplaced: tuple[Problem, ...] = ()

    @property
    def is_success(self) -> bool:
        """Whether every block has its result."""
        failed = any(one.is_failure for one in self.results.values())
        invalid = any(one.standing == "invalid" for one in self.looked.planned)
        refused = failed or invalid or bool(self.unplaced) or not self.looked.is_sound
        return not (refused or self.is_cancelled or self.held)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the document, and results without a place."""
        return (*self.looked.problems, *self.unplaced)


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A part of a document, and the server that it is bound to."""

    server: str | None
    text: str


class DocumentService:
    """Works on documents."""

    def __init__(
        self,
        registry: Registry,
        lockfile: Lockfile,
        kept: StoredBindings,
        *,
        masker: Masker,
        limits: Limits,
    ) -> None:
        self._registry = registry
        self._lockfile = lockfile
        self.kept = kept
        self._masker = masker
        self._limits = limits

    async def look(self, path: Path) -> DocumentReport:
        """Read a document and report the state of its blocks; nothing is run."""
        servers = await self._registry.list()
        kept = await self.kept.of(await anyio.to_thread.run_sync(document_key, path))
        return await anyio.to_thread.run_sync(self._looked, path, servers, kept)

    async def run(
        self,
        path: Path,
        tools: ToolCaller,
        workflows: WorkflowCaller,
        *,
        refresh: bool = False,
        retry: bool = True,
        parallel: int = 1,
        stop: anyio.Event | None = None,
    ) -> DocumentRunReport:
        """Run what is due, in order, and write each result as it arrives; `stop` ends it.

        Raises `Conflict`: `DOCUMENT_CHANGED` when the file is saved again and again meanwhile.
        """
        looked = await self.look(path)
        servers = await self._registry.list()

        def planner(data: bytes) -> tuple[Document, Sequence[Planned]]:
            document, planned, _ = _planned(data, servers, looked.kept)
            return document, planned

        writer = ResultWriter(path, looked.planned, planner)
        blocks = due(looked.planned, refresh=refresh, retry=retry)
        now, left = within_limit(blocks, self._limits)
        runner = BlockRunner(
            tools,
            workflows,
            masker=self._masker,
            limits=self._limits,
            location=str(path),
            scope=f"document:{uuid.uuid4()}",
            folder=assets_folder(path),
            write=writer.write,
        )
        stopping = anyio.CancelScope()
        with stopping:
            async with background() as tasks:
                if stop is not None:
                    tasks.start_soon(_stop_at, stop, stopping)
                await runner.run(now, parallel)
        is_cancelled = stopping.cancelled_caught
        over = held(left, self._limits) if left else None
        unplaced = tuple(writer.unplaced)
        return DocumentRunReport(looked, runner.results, is_cancelled, over, unplaced)

    async def section(self, path: Path, heading: str | None) -> DocumentSection:
        """Find the section with this heading, or the whole document, and its server.

        Raises `NotFound`: `DOCUMENT_SECTION_NOT_FOUND`; `Invalid`: `DOCUMENT_BINDING_UNRESOLVED`.
        """
        looked = await self.look(path)
        document, bindings, _ = _bound(looked.data, await self._registry.list(), looked.kept)
        span = find_section(document, heading) if heading is not None else (0, document.line_count)
        if span is None:
            raise NotFound(
                "DOCUMENT_SECTION_NOT_FOUND",
                f"{str(path)!r} has no heading {heading!r}",
                hint=did_you_mean(heading or "", [one.text for one in document.headings]),
            )
        chosen = bindings.server_at(span[0], None)
        if chosen.fault is not None:
            raise Invalid(
                "DOCUMENT_BINDING_UNRESOLVED",
                f"the server of this section is unclear: {chosen.fault}",
                hint="correct the binding; `toolweave doc check` shows it",
            )
        text = document.text[document.starts[span[0]] : document.starts[span[1]]]
        return DocumentSection(chosen.server, text)

    async def clear(self, path: Path) -> int:
        """Remove every result from a document; return how many there were."""
        looked = await self.look(path)
        count = sum(block.result is not None for block in looked.document.blocks)
        if count:
            after = encoded(without_results(looked.document))
            await anyio.to_thread.run_sync(replace_file, path, looked.data, after)
        return count

    async def bind(self, path: Path, binding: Binding) -> StoredBinding:
        """Bind a section of a document to a registered server.

        Raises `NotFound`: `DOCUMENT_SECTION_NOT_FOUND`, `MCP_SERVER_NOT_FOUND`.
        """
        await self._registry.get(binding.server)
        data = await anyio.to_thread.run_sync(read_file, path)
        document = read_document(data, ())
        if Bindings(document, [binding]).lost:
            raise NotFound(
                "DOCUMENT_SECTION_NOT_FOUND",
                f"{str(path)!r} has no {binding.section}",
                hint=did_you_mean(binding.heading or "", [one.text for one in document.headings]),
            )
        return await self.kept.add(document_key(path), binding)

    def _looked(
        self, path: Path, servers: Sequence[Server], kept: Sequence[StoredBinding]
    ) -> DocumentReport:
        """Read and plan a document; runs in a thread, as it may be large."""
        data = read_file(path)
        document, planned, problems = _planned(data, servers, kept)
        problems += self._wrong(planned)
        problems += _refused(planned, servers)
        return DocumentReport(path, data, document, tuple(planned), tuple(kept), tuple(problems))

    def _wrong(self, planned: Sequence[Planned]) -> Iterator[Problem]:
        """Yield the problems of calls that are known without asking their servers."""
        pins: dict[str, Mapping[str, Pin]] = {}
        tools: dict[tuple[str, str], Tool] = {}
        for one in planned:
            server, name = one.server, one.block.name
            if one.problem is None and (written := placeholder_in(one.block.arguments)):
                yield Problem(
                    "DOCUMENT_PLACEHOLDER",
                    pointer("lines", one.block.line),
                    f"{written[:100]!r} is sent as it is: a block fills in no placeholders",
                    "write the value, or use a workflow whose steps read each other",
                    "warning",
                )
            if one.problem is not None or server is None or one.block.kind != "tool":
                continue
            if server not in pins:
                pins[server] = self._lockfile.pins(server)
            known = pins[server]
            at = pointer("lines", one.block.line)
            if known and name not in known:
                told = f"server {server!r} has no approved tool {name!r}"
                hint = f"`toolweave servers tools {server}` lists them"
                yield Problem("MCP_TOOL_NOT_FOUND", at, told, hint)
            elif known:
                if (server, name) not in tools:
                    tools[server, name] = read_tool(server, known[name].definition)
                for fault in check_arguments(tools[server, name], one.block.arguments):
                    yield replace(fault, pointer=at + fault.pointer, patch=None)


def _planned(
    data: bytes, servers: Sequence[Server], kept: Sequence[StoredBinding]
) -> tuple[Document, list[Planned], list[Problem]]:
    """A document's blocks with their servers, and what is wrong with it by itself."""
    names = frozenset(server.name for server in servers)
    document, bindings, broken = _bound(data, servers, kept)
    enabled = sorted(
        (one for one in servers if one.enabled), key=lambda one: (one.created_at, one.name)
    )
    planned = plan(document, bindings, enabled[0].name if enabled else None)
    problems = [one.problem for one in broken]
    problems += [one.problem for one in planned if one.problem is not None]
    problems += bindings.problems(names)
    problems += unknown_servers(document, names)
    return document, planned, problems


def _bound(
    data: bytes, servers: Sequence[Server], kept: Sequence[StoredBinding]
) -> tuple[Document, Bindings, list[BrokenBinding]]:
    document = read_document(data, frozenset(server.name for server in servers))
    written, broken = front_bindings(document)
    # The document's own come last: where both are as near, they win.
    bindings = Bindings(document, [*(one.binding for one in kept), *written], broken)
    return document, bindings, broken


def _refused(planned: Sequence[Planned], servers: Sequence[Server]) -> Iterator[Problem]:
    """Blocks whose server is disabled: a run would refuse them."""
    by_name = {server.name: server for server in servers}
    for one in planned:
        server = by_name.get(one.server or "")
        if server is None or one.problem is not None:
            continue
        try:
            require_enabled(server)
        except Denied as error:
            yield Problem(error.code, pointer("lines", one.block.line), error.message, error.hint)


async def _stop_at(stop: anyio.Event, scope: anyio.CancelScope) -> None:
    await stop.wait()
    scope.cancel()


def document_key(path: Path) -> str:
    """What a document's bindings are kept under."""
    return str(path.resolve())
