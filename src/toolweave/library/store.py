"""The libraries of a home: their sources, and their flows and templates at a ref.

The remote is asked at most once in 15 minutes per ref, and once for all waiting callers; if it is
down, earlier contents are served and marked as old.
"""

import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import cast

import anyio
import anyio.to_thread
from pydantic import TypeAdapter

from toolweave import json_text
from toolweave.clock import Clock, timestamp
from toolweave.errors import Conflict, Invalid, NotFound, TimedOut, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.library.cache import Cache, KnownHead
from toolweave.library.files import MAX_ATTACHED_BYTES, LibraryFile, read_files
from toolweave.library.flows import FlowEntry
from toolweave.library.git import Git
from toolweave.library.listing import (
    RESOURCES,
    TEMPLATES,
    list_flows,
    list_resources,
    list_templates,
    read_flow,
)
from toolweave.library.locks import LibraryLocks
from toolweave.library.models import (
    FlowList,
    FoundFlow,
    Library,
    LibraryRevision,
    ResourceList,
    Skipped,
    TemplateList,
)
from toolweave.library.remote import Remote, read_name, read_ref, read_remote
from toolweave.library.repository import Repository
from toolweave.library.resource_index import LibraryResource
from toolweave.library.templates import PromptTemplate, again, template_named
from toolweave.problems import did_you_mean
from toolweave.storage.damaged_rows import readable
from toolweave.storage.database import Database, Row

# How long a remote that did not respond is not asked again.
REST_S = 30.0
_COLUMNS = "name, url, protocol, ref, added_at"
_ENTRIES = TypeAdapter(tuple[FlowEntry, ...])
_RESOURCES = TypeAdapter(tuple[LibraryResource, ...])
_SKIPPED = TypeAdapter(list[tuple[str, str]])
_REMOTE = TypeAdapter(Remote)

Read = Callable[[Repository], Awaitable[Json]]


class LibraryStore:
    """All libraries of a home."""

    def __init__(self, database: Database, clock: Clock, git: Git, folder: Path) -> None:
        self._database = database
        self._clock = clock
        self._git = git
        self._folder = folder
        self._cache = Cache(database, clock)
        self._turns = LibraryLocks(folder, clock)
        self._silent: dict[tuple[str, str], tuple[float, str]] = {}

    @property
    def asked(self) -> int:
        """The number of requests to remotes."""
        return self._git.asked

    async def add(self, name: str, address: str, *, ref: str | None, folder: Path) -> Library:
        """Note a repository that answers; a relative path counts from `folder`.

        Raises:
            Invalid: `LIBRARY_NAME_INVALID`, `LIBRARY_ADDRESS_INVALID`, `LIBRARY_REF_INVALID`.
            Conflict: `LIBRARY_NAME_TAKEN`.
            NotFound: `LIBRARY_REF_NOT_FOUND`.
            Unavailable: `GITHUB_ERROR`.
        """
        remote = read_remote(address, folder)
        wanted = read_ref(ref) if ref is not None else None
        async with self._turns.turn(read_name(name)):
            # Within the turn: what another one has just added must not be cleared.
            if name in {one.name for one in await self.list()}:
                raise _taken(name)
            await self._clear(name)
            repository = self._repository(name, remote)
            try:
                await repository.prepare()
                branch = wanted or await repository.default_branch()
                head = await repository.head(branch)
                commit = await repository.bring(head)
            except BaseException:
                with anyio.CancelScope(shield=True):
                    await self._clear(name)
                raise
            library = Library(name, remote, branch, timestamp(self._clock.now()))
            values = (name, remote.url, remote.protocol, branch, library.added_at)
            touched = await self._database.execute(
                f"INSERT INTO libraries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (name) DO NOTHING",
                *values,
            )
            if not touched:
                raise _taken(name)
        await self._cache.note_head(name, branch, commit)
        return library

    async def list(self) -> tuple[Library, ...]:
        """Return every library, by name."""
        rows = await self._database.rows(f"SELECT {_COLUMNS} FROM libraries ORDER BY name")
        return tuple(readable("libraries", rows, _library))

    async def get(self, name: str) -> Library:
        """Return the library of this name. Raises `LIBRARY_NOT_FOUND`."""
        known = {library.name: library for library in await self.list()}
        if name not in known:
            raise NotFound(
                "LIBRARY_NOT_FOUND",
                f"there is no library {name[:100]!r}",
                hint=did_you_mean(name, known) or "`toolweave library list` shows them",
            )
        return known[name]

    async def remove(self, name: str) -> None:
        """Remove a library and everything read of it."""
        library = await self.get(name)
        async with self._turns.turn(library.name):
            await self._database.execute("DELETE FROM libraries WHERE name = ?", library.name)
            await self._clear(library.name)

    async def refresh(self, name: str, ref: str | None = None) -> LibraryRevision:
        """Ask the remote now. Raises `GITHUB_ERROR`."""
        library = await self.get(name)
        await self._cache.expire(name)
        self._silent.clear()
        at = await self._at(library, ref)
        if at.stale:
            raise Unavailable("GITHUB_ERROR", at.stale, hint="the cached copy is still available")
        return at

    async def flows(self, name: str, ref: str | None = None) -> FlowList:
        """The flows of a library, by their metadata; their contents are left for later.

        Raises `NotFound`: `LIBRARY_NOT_FOUND`, `LIBRARY_REF_NOT_FOUND`; `Unavailable`:
        `GITHUB_ERROR` where nothing was read before.
        """
        library = await self.get(name)
        at = await self._at(library, ref)
        value = await self._kept(
            library, at, f"flows:list:{at.ref}", lambda found: list_flows(found, at.commit)
        )
        flows = _ENTRIES.validate_python(value["flows"])
        return FlowList(at, flows, _skipped(value))

    async def flow(self, name: str, flow: str, ref: str | None = None) -> FoundFlow:
        """Return one flow by its name, id or file name. Raises `FLOW_NOT_FOUND`, `PARSE_ERROR`."""
        listed = await self.flows(name, ref)
        entry = _flow_named(listed, flow)
        document = await self._kept(
            await self.get(name),
            listed.at,
            f"flow:{entry.name}:{listed.at.ref}",
            lambda found: read_flow(found, entry),
        )
        return FoundFlow(listed.at, entry, document)

    async def templates(self, name: str, ref: str | None = None) -> TemplateList:
        """The templates of a library.

        Raises `NotFound`: `LIBRARY_NOT_FOUND`, `LIBRARY_REF_NOT_FOUND`; `Unavailable`:
        `GITHUB_ERROR` where nothing was read before.
        """
        library = await self.get(name)
        at = await self._at(library, ref)
        value = await self._kept(
            library, at, f"templates:list:{at.ref}", lambda found: list_templates(found, at.commit)
        )
        shown = cast("list[Json]", value["templates"])
        return TemplateList(at, tuple(again(one) for one in shown), _skipped(value))

    async def template(self, name: str, template: str, ref: str | None = None) -> PromptTemplate:
        """Return one template by its name, title or id. Raises `TEMPLATE_NOT_FOUND`."""
        library = await self.get(name)
        at = await self._at(library, ref)
        key = f"template:{template[:200]}:{at.ref}"
        kept = await self._cache.get(name, key, at.commit)
        if kept is not None:
            return again(json_text.read(kept))
        found = template_named((await self.templates(name, ref)).templates, template)
        await self._cache.put(library.name, key, at.commit, json_text.write(found.as_json()))
        return found

    async def attachments(
        self, name: str, template: PromptTemplate, ref: str | None = None
    ) -> tuple[LibraryFile, ...]:
        """The files that a template's prompt carries.

        Raises `NotFound`: `FILE_NOT_FOUND`; `Invalid`: `FILE_TOO_LARGE`.
        """
        if not template.attachments:
            return ()
        library = await self.get(name)
        at = await self._at(library, ref)
        repository = self._repository(name, library.remote)
        found = await read_files(repository, at.commit, TEMPLATES, template.attachments)
        if sum(len(file.data) for file in found) > MAX_ATTACHED_BYTES:
            message = (
                f"the attachments of {template.name!r} have more than {MAX_ATTACHED_BYTES} bytes"
            )
            raise Invalid("FILE_TOO_LARGE", message)
        return found

    async def resources(self, name: str, ref: str | None = None) -> ResourceList:
        """The files that a library offers as resources. Raises what `templates` raises."""
        library = await self.get(name)
        at = await self._at(library, ref)
        value = await self._kept(
            library, at, f"resources:list:{at.ref}", lambda found: list_resources(found, at.commit)
        )
        found = _RESOURCES.validate_python(value["resources"])
        return ResourceList(at, found, _skipped(value))

    async def revision(self, name: str) -> LibraryRevision:
        """The commit of a library's own ref. Raises what `templates` raises."""
        return await self._at(await self.get(name), None)

    async def file(self, name: str, path: str) -> LibraryFile:
        """One file below `templates/` or `resources/`.

        Raises `NotFound`: `FILE_NOT_FOUND`; `Invalid`: `FILE_TOO_LARGE`.
        """
        library = await self.get(name)
        folder = path.partition("/")[0]
        if folder == RESOURCES:
            await self.resources(name)  # fetches the folder
        elif folder == TEMPLATES:
            await self.templates(name)
        else:
            raise NotFound("FILE_NOT_FOUND", f"the library has no file {path[:200]!r}")
        at = await self._at(library, None)
        repository = self._repository(name, library.remote)
        return (await read_files(repository, at.commit, folder, (path,)))[0]

    async def _at(self, library: Library, ref: str | None) -> LibraryRevision:
        """Return the commit of a ref: cached for 15 minutes, then from the remote."""
        wanted = library.ref if ref is None else read_ref(ref)
        known = await self._cache.head(library.name, wanted)
        if known is not None and known.is_fresh:
            return _at(wanted, known)
        async with self._turns.turn(library.name):
            known = await self._cache.head(library.name, wanted)
            if known is not None and known.is_fresh:  # another task asked meanwhile
                return _at(wanted, known)
            return await self._asked_now(library, wanted, known)

    async def _asked_now(
        self, library: Library, ref: str, known: KnownHead | None
    ) -> LibraryRevision:
        place = (library.name, ref)
        since, why = self._silent.get(place, (-REST_S, ""))
        if known is not None and self._clock.monotonic() - since < REST_S:
            return _at(ref, known, stale=why)
        repository = self._repository(library.name, library.remote)
        try:
            await repository.prepare()
            commit = await repository.bring(await repository.head(ref))
        except (Unavailable, TimedOut) as error:
            if known is None:
                raise
            self._silent[place] = (self._clock.monotonic(), error.message)
            return _at(ref, known, stale=error.message)
        self._silent.pop(place, None)
        await self._cache.note_head(library.name, ref, commit)
        return LibraryRevision(ref=ref, commit=commit, checked_at=timestamp(self._clock.now()))

    async def _kept(
        self, library: Library, at: LibraryRevision, key: str, read: Read
    ) -> JsonObject:
        """Return the cached value of a key at a commit, or read it once for all who wait."""
        kept = await self._cache.get(library.name, key, at.commit)
        if kept is None:
            async with self._turns.turn(library.name):
                kept = await self._cache.get(library.name, key, at.commit)
                if kept is None:
                    repository = self._repository(library.name, library.remote)
                    kept = json_text.write(await read(repository))
                    await self._cache.put(library.name, key, at.commit, kept)
        return cast("JsonObject", json_text.read(kept))

    def _repository(self, name: str, remote: Remote) -> Repository:
        return Repository(self._folder / f"{name}.git", remote, self._git)

    async def _clear(self, name: str) -> None:
        await self._cache.forget(name)
        with suppress(FileNotFoundError):
            await anyio.to_thread.run_sync(shutil.rmtree, self._folder / f"{name}.git")


def _library(row: Row) -> Library:
    name, url, protocol, ref, added_at = row
    remote = _REMOTE.validate_python({"url": url, "protocol": protocol})
    return Library(str(name), remote, str(ref), str(added_at))


def _at(ref: str, known: KnownHead, stale: str | None = None) -> LibraryRevision:
    at = LibraryRevision(ref=ref, commit=known.commit, checked_at=timestamp(known.checked_at))
    return at.model_copy(update={"stale": stale}) if stale else at


def _skipped(value: JsonObject) -> tuple[Skipped, ...]:
    found = _SKIPPED.validate_python(value["skipped"])
    return tuple(Skipped(path=path, reason=why) for path, why in found)


def _flow_named(listed: FlowList, wanted: str) -> FlowEntry:
    for entry in listed.flows:
        if wanted in (entry.name, entry.id):
            return entry
    for entry in listed.flows:
        if wanted == PurePosixPath(entry.path).stem:
            return entry
    # A file of this name may exist and be broken, which is the better answer.
    for one in listed.skipped:
        if PurePosixPath(one.path).stem == wanted:
            raise Invalid("PARSE_ERROR", f"{one.path}: {one.reason}", facts={"path": one.path})
    raise NotFound(
        "FLOW_NOT_FOUND",
        f"Flow not found: {wanted[:200]}",
        hint=did_you_mean(wanted, [entry.name for entry in listed.flows])
        or "`toolweave library show NAME` lists the flows",
    )


def _taken(name: str) -> Conflict:
    return Conflict(
        "LIBRARY_NAME_TAKEN",
        f"a library {name!r} already exists",
        hint="choose another name, or `toolweave library remove` the old one first",
    )
