"""Workflows, runs, documents and recordings as resources.

`toolweave://workflows/NAME`, `toolweave://runs/ID`, `…/ID/timeline` as text and
`…/ID/timeline.svg` as a picture, `…/ID/media/DIGEST` for large media in its results,
`toolweave://documents/PATH` and `toolweave://recordings/NAME`;
names are percent-encoded. Each kind has its row in the authorisation table; a limited key sees
its published workflows and their runs.
"""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

import mcp_types as types
from anyio.to_thread import run_sync
from mcp.shared.exceptions import MCPError

from toolweave import json_text
from toolweave.access.authorization import PUBLISHED_TOOL, resource_rule
from toolweave.app.running_studio import RunningStudio
from toolweave.documents.files import read_file
from toolweave.documents.workspace import ENDINGS, DocumentFolders
from toolweave.engine.execution_report import execution
from toolweave.engine.journal_report import report_of
from toolweave.engine.run_media import RunMedia, stored_at
from toolweave.engine.run_search import RunSearch
from toolweave.engine.run_table import RunRecord
from toolweave.engine.timeline import timeline_text
from toolweave.engine.timeline_svg import timeline_svg
from toolweave.errors import Denied, Invalid, NotFound, ToolweaveError
from toolweave.home import FILES
from toolweave.json_text import write
from toolweave.mcp_server.stored_workflows import document_of
from toolweave.mcp_server.tool_call import FORBIDDEN, OpenStudio, ResourceReader
from toolweave.publishing.limited_keys import VisibleRuns, allows_workflow, published_of
from toolweave.recording.files import FOLDER, RecordingFolder, peek_header

SCHEME = "toolweave://"
LISTED_RUNS = 50
MAX_BYTES = 2 * 1024 * 1024
_JSON = "application/json"
_TEXT = "text/plain"


@dataclass(frozen=True, slots=True)
class ResourceKind:
    """One kind of resource: its template, and what it holds."""

    kind: str
    template: str
    argument: str
    title: str
    mime_type: str


WORKFLOW = ResourceKind(
    "workflows", "toolweave://workflows/{workflow}", "workflow", "A workflow", _JSON
)
RUN = ResourceKind("runs", "toolweave://runs/{run}", "run", "The result of a run", _JSON)
TIMELINE = ResourceKind(
    "runs", "toolweave://runs/{run}/timeline", "run", "The timeline of a run", _TEXT
)
PICTURE = ResourceKind(
    "runs",
    "toolweave://runs/{run}/timeline.svg",
    "run",
    "The timeline of a run as a picture",
    "image/svg+xml",
)
DOCUMENT = ResourceKind(
    "documents", "toolweave://documents/{path}", "path", "A document", "text/markdown"
)
RECORDING = ResourceKind(
    "recordings",
    "toolweave://recordings/{recording}",
    "recording",
    "A recorded run",
    "application/jsonl",
)
KINDS = (WORKFLOW, RUN, TIMELINE, PICTURE, DOCUMENT, RECORDING)


@dataclass(frozen=True, slots=True)
class NamedResource:
    """One resource of a kind: the value of the template's argument, and a description."""

    kind: ResourceKind
    name: str
    description: str | None = None

    @property
    def uri(self) -> str:
        """Its address."""
        value = quote(self.name, safe="")
        return self.kind.template.replace(f"{{{self.kind.argument}}}", value)

    @property
    def listed(self) -> types.Resource:
        """Its entry of `resources/list`."""
        return types.Resource(
            uri=self.uri,
            name=f"{self.kind.argument} {self.name}",
            title=self.name,
            description=self.description,
            mime_type=self.kind.mime_type,
        )


class HomeResources:
    """What a home holds, for one MCP server."""

    def __init__(self, open_studio: OpenStudio) -> None:
        self._open = open_studio

    def templates(self, caller: ResourceReader) -> list[types.ResourceTemplate]:
        """The templates that the caller may use."""
        return [
            types.ResourceTemplate(
                uri_template=one.template,
                name=one.title.lower().replace(" ", "-"),
                title=one.title,
                mime_type=one.mime_type,
            )
            for one in KINDS
            if caller.may(resource_rule(one.kind))
        ]

    async def visible(self, caller: ResourceReader) -> list[types.Resource]:
        """Everything that the caller may read, of runs the newest; nothing without a home."""
        try:
            studio = await self._open()
        except ToolweaveError:
            return []
        shown: list[types.Resource] = []
        for kind, find in _FINDERS.items():
            if caller.may(resource_rule(kind.kind)):
                shown += [one.listed for one in await find(studio, caller)]
        return shown

    async def read(
        self, caller: ResourceReader, uri: str
    ) -> types.TextResourceContents | types.BlobResourceContents:
        """Read one.

        Raises:
            MCPError: the caller may not, or there is none.
        """
        if (media := stored_at(uri)) is not None:
            return await self._read_media(caller, uri, *media)
        kind, name = parsed(uri)
        caller.require(resource_rule(kind.kind))
        try:
            text = await _READERS[kind](await self._open(), caller, name)
            if len(text.encode()) > MAX_BYTES:
                raise Invalid("FILE_TOO_LARGE", f"larger than {MAX_BYTES:,} bytes")
        except ToolweaveError as error:
            raise _unreadable(uri, error) from None
        return types.TextResourceContents(uri=uri, mime_type=kind.mime_type, text=text)

    async def _read_media(
        self, caller: ResourceReader, uri: str, run: str, digest: str
    ) -> types.BlobResourceContents:
        # A caller of a tool can read what its answer links to.
        if not caller.may(PUBLISHED_TOOL):
            caller.require(resource_rule(RUN.kind))
        studio = await self._open()
        try:
            found = await _found_run(studio, caller, run, is_called=True)
            stored = await RunMedia(studio.home.database).read(found.id, digest)
            if stored is None:
                raise NotFound("MEDIA_UNKNOWN", f"run {found.id!r} has no media {digest!r}")
        except ToolweaveError as error:
            raise _unreadable(uri, error) from None
        data = base64.b64encode(stored.data).decode()
        return types.BlobResourceContents(uri=uri, mime_type=stored.mime_type, blob=data)

    async def version(self, caller: ResourceReader, uri: str) -> str:
        """Return what differs after a change of one.

        Raises:
            MCPError: the caller may not, or there is none.
        """
        kind, name = parsed(uri)
        caller.require(resource_rule(kind.kind))
        try:
            return await _VERSIONS[kind](await self._open(), caller, name)
        except ToolweaveError as error:
            raise _unreadable(uri, error) from None

    async def complete(
        self, caller: ResourceReader, template: str, argument: str
    ) -> list[str] | None:
        """The names for a template's argument; `None` if it is not one of these templates."""
        kind = next((one for one in KINDS if one.template == template), None)
        if kind is None or kind.argument != argument:
            return None
        caller.require(resource_rule(kind.kind))
        find = _FINDERS[RUN if kind.kind == RUN.kind else kind]
        return [one.name for one in await find(await self._open(), caller)]


def _unreadable(uri: str, error: ToolweaveError) -> MCPError:
    code = FORBIDDEN if isinstance(error, Denied) else types.INVALID_PARAMS
    hint = f"; {error.hint}" if error.hint else ""
    message = f"no resource {uri[:200]!r}: {error.message}{hint}"
    return MCPError(code, message, data=error.as_json())


def parsed(uri: str) -> tuple[ResourceKind, str]:
    """The kind and name of an address.

    Raises:
        MCPError: it is none of ours.
    """
    name, _, rest = uri.removeprefix(SCHEME).partition("/")
    value, slash, part = rest.partition("/")
    for kind in KINDS:
        suffix = kind.template.rpartition("}")[2].removeprefix("/")
        is_part = part == suffix and bool(slash) == bool(suffix)
        if uri.startswith(SCHEME) and name == kind.kind and value and is_part:
            return kind, unquote(value)
    message = f"no resource {uri[:200]!r}; `resources/list` lists the URIs"
    raise MCPError(types.INVALID_PARAMS, message, data={"uri": uri[:2000]})


async def _workflows(studio: RunningStudio, caller: ResourceReader) -> list[NamedResource]:
    return [
        NamedResource(WORKFLOW, stored.name, (stored.workflow.description or "")[:200] or None)
        for stored in await studio.home.workflows.list()
        if caller.key is None or await allows_workflow(studio.published, caller.key, stored.name)
    ]


async def _runs(studio: RunningStudio, caller: ResourceReader) -> list[NamedResource]:
    if caller.key is None:
        found = await studio.engine.newest(limit=LISTED_RUNS)
    else:
        found = await VisibleRuns(studio.engine, studio.published).newest(
            caller.key, status=None, workflow=None, limit=LISTED_RUNS, search=RunSearch()
        )
    return [NamedResource(RUN, run.id, _heading(run)) for run in found]


async def _documents(studio: RunningStudio, _: ResourceReader) -> list[NamedResource]:
    own = studio.home.settings.home / FILES
    paths = [Path(one) for one in await run_sync(DocumentFolders(studio.home).list)]
    return [
        NamedResource(DOCUMENT, str(one.relative_to(own) if one.is_relative_to(own) else one))
        for one in paths
    ]


async def _recordings(_: RunningStudio, __: ResourceReader) -> list[NamedResource]:
    def find() -> list[NamedResource]:
        folder = RecordingFolder(Path(FOLDER))
        headers = {name: peek_header(folder.path(name)) for name in folder.names()}
        return [NamedResource(RECORDING, name) for name, header in headers.items() if header]

    return await run_sync(find)


async def _read_workflow(studio: RunningStudio, caller: ResourceReader, name: str) -> str:
    if caller.key is not None and caller.key.tools is not None:
        one = await published_of(studio.published, caller.key, name)
        # Such a key may see the published version, not the current file.
        return write(json_text.read(one.publication.document), pretty=True)
    return write(document_of(await studio.home.workflows.load(name)), pretty=True)


async def _found_run(
    studio: RunningStudio, caller: ResourceReader, name: str, *, is_called: bool = False
) -> RunRecord:
    if caller.key is None:
        return await studio.engine.match(name)
    runs = VisibleRuns(studio.engine, studio.published)
    return await (runs.match_called if is_called else runs.match)(caller.key, name)


async def _read_run(studio: RunningStudio, caller: ResourceReader, name: str) -> str:
    run = await _found_run(studio, caller, name)
    engine = studio.engine
    report = await report_of(engine.journal, run.id)
    plan = await engine.plan(run.id)
    return write(execution(run.id, plan, report.entries, is_whole=report.is_whole), pretty=True)


async def _read_timeline(studio: RunningStudio, caller: ResourceReader, name: str) -> str:
    run = await _found_run(studio, caller, name)
    report = await report_of(studio.engine.journal, run.id)
    return f"{_heading(run)}\n{timeline_text(report.entries)}"


async def _read_picture(studio: RunningStudio, caller: ResourceReader, name: str) -> str:
    run = await _found_run(studio, caller, name)
    report = await report_of(studio.engine.journal, run.id)
    return timeline_svg(_heading(run), report.entries)


def _heading(run: RunRecord) -> str:
    return f"{run.workflow}: {run.status}, started {run.started_at}"


async def _document_path(studio: RunningStudio, name: str) -> Path:
    path = await DocumentFolders(studio.home).path(name)
    if path.suffix.lower() not in ENDINGS:
        raise NotFound("DOCUMENT_NOT_FOUND", f"{name[:200]!r} is no Markdown file")
    return path


async def _read_document(studio: RunningStudio, _: ResourceReader, name: str) -> str:
    path = await _document_path(studio, name)
    return (await run_sync(read_file, path)).decode("utf-8", "replace")


async def _read_recording(_: RunningStudio, __: ResourceReader, name: str) -> str:
    def read() -> str:
        with _recording_path(name).open(encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES + 1)

    return await run_sync(read)


def _recording_path(name: str) -> Path:
    folder = RecordingFolder(Path(FOLDER))
    return folder.path(name) if name.endswith(".jsonl") else folder.find(name)


async def _workflow_version(studio: RunningStudio, caller: ResourceReader, name: str) -> str:
    if caller.key is not None and caller.is_limited:
        return (await published_of(studio.published, caller.key, name)).publication.revision
    return (await studio.home.workflows.load(name)).revision


async def _run_version(studio: RunningStudio, caller: ResourceReader, name: str) -> str:
    run = await _found_run(studio, caller, name)
    return f"{run.status} {run.changed_at}"


async def _document_version(studio: RunningStudio, _: ResourceReader, name: str) -> str:
    return await run_sync(_stamp, await _document_path(studio, name))


async def _recording_version(_: RunningStudio, __: ResourceReader, name: str) -> str:
    return await run_sync(lambda: _stamp(_recording_path(name)))


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError as error:
        raise NotFound("FILE_NOT_FOUND", f"{path.name!r} cannot be read") from error
    return f"{found.st_ino} {found.st_mtime_ns} {found.st_size}"


_Find = Callable[[RunningStudio, ResourceReader], Awaitable[list[NamedResource]]]
_Read = Callable[[RunningStudio, ResourceReader, str], Awaitable[str]]
_FINDERS: dict[ResourceKind, _Find] = {
    WORKFLOW: _workflows,
    RUN: _runs,
    DOCUMENT: _documents,
    RECORDING: _recordings,
}
_READERS: dict[ResourceKind, _Read] = {
    WORKFLOW: _read_workflow,
    RUN: _read_run,
    TIMELINE: _read_timeline,
    PICTURE: _read_picture,
    DOCUMENT: _read_document,
    RECORDING: _read_recording,
}
_VERSIONS: dict[ResourceKind, _Read] = {
    WORKFLOW: _workflow_version,
    RUN: _run_version,
    TIMELINE: _run_version,
    PICTURE: _run_version,
    DOCUMENT: _document_version,
    RECORDING: _recording_version,
}
