"""Named workflows as JSON files in a given folder; no I/O of its own.

A revision is the hash of a file's content. Saving names the revision it replaces, so that
changes by other programs or editors are never overwritten unnoticed.
"""

import hashlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from getpass import getuser
from typing import NewType, Protocol

from anyio.to_thread import run_sync

from toolweave.clock import Clock
from toolweave.errors import Conflict, NotFound
from toolweave.json_text import Json
from toolweave.problems import did_you_mean
from toolweave.tools.text import look_alike
from toolweave.workflow.formats.format import FormatName, LoadedWorkflow
from toolweave.workflow.formats.load import convert, dump, load
from toolweave.workflow.ids import SLUG, check_new_name, may_look_like, slug
from toolweave.workflow.model import Workflow

Revision = NewType("Revision", str)

ENDING = ".json"
LOOK_EVERY_S = 0.25
# From this size on, a file is parsed in a thread.
LARGE = 64 * 1024
# How much text the workflows have that are kept as they were last read.
MAX_KEPT = 2 * 1024 * 1024


class WorkflowFolder(Protocol):
    """A flat folder of small files; names are slugs with an ending."""

    async def names(self) -> list[str]:
        """The names of all files, in any order."""
        ...

    async def stamps(self) -> dict[str, str]:
        """A cheap version text for each file that changes with every write."""
        ...

    async def read(self, name: str) -> bytes | None:
        """The content of a file; None if it does not exist."""
        ...

    async def swap(self, name: str, old: bytes | None, new: bytes | None) -> bool:
        """Replace `old` by `new` atomically (None is "no file"); return whether `old` was there."""
        ...


class VersionLog(Protocol):
    """Records what every save wrote."""

    async def record(
        self,
        slug: str,
        content: bytes,
        *,
        author: str | None,
        before: bytes | None = None,
        moved_from: str | None = None,
    ) -> None:
        """Add a version; `before` is what it replaced, `moved_from` its slug before a rename."""
        ...


@dataclass(frozen=True, slots=True)
class WorkflowChange:
    """A file that is new, has another content, or (without a revision) is gone."""

    slug: str
    revision: Revision | None


@dataclass(frozen=True, slots=True)
class Stored:
    """A workflow as it was read from its file."""

    loaded: LoadedWorkflow
    revision: Revision
    slug: str

    @property
    def workflow(self) -> Workflow:
        """The workflow itself."""
        return self.loaded.workflow

    @property
    def name(self) -> str:
        """Its name; that of its file where the content has none."""
        return self.workflow.name or self.slug


class WorkflowStore:
    """The named workflows in one folder."""

    def __init__(self, files: WorkflowFolder, versions: VersionLog | None = None) -> None:
        self._files = files
        self._versions = versions
        # Small workflows as the last list read them, by their file and its version text.
        self._listed: dict[tuple[str, str], Stored] = {}
        # Large workflows as they were last read, by file, with the length of their text.
        self._kept: dict[str, tuple[Stored, int]] = {}

    async def list(self) -> list[Stored]:
        """Every workflow, by name; files that are no workflow come with their problems.

        A file is read again only if its version text is another one.
        """
        stamps = await self._files.stamps()
        found: list[Stored] = []
        listed: dict[tuple[str, str], Stored] = {}
        for stem in _stems([*stamps]):
            key = (stem, stamps[stem + ENDING])
            stored = self._listed.get(key)
            if stored is None:
                data = await self._files.read(stem + ENDING)
                if data is None:
                    continue
                stored = await _read(stem, data)
                if len(data) >= LARGE:
                    found.append(stored)
                    continue
            listed[key] = stored
            found.append(stored)
        self._listed = listed
        return sorted(found, key=lambda stored: (stored.name, stored.slug))

    async def slugs(self) -> frozenset[str]:
        """The names of the files, without reading them."""
        return frozenset(_stems(await self._files.names()))

    async def load(self, name: str) -> Stored:
        """The workflow of this name or slug. Raises `NotFound`: `WORKFLOW_NOT_FOUND`."""
        stored, _ = await self._found(name)
        return stored

    async def save(
        self,
        workflow: Workflow,
        *,
        over: Revision | None,
        at: str | None = None,
        dialect: FormatName = "toolweave",
        author: str | None = None,
    ) -> Revision:
        """Write the workflow under its name, over the revision it was made from.

        `author` is recorded with the version: the name of a key, else the user of this process.
        `at` is the name it is stored under, where the workflow has got another one since. In the
        dialect that its author wrote, the file keeps the author's keys and their order.

        Raises `Invalid`: `WORKFLOW_NAME_INVALID`; `NotFound`: `WORKFLOW_NOT_FOUND` when there is
        nothing at `at`; `Conflict`: `WORKFLOW_NAME_TAKEN` when a new one (`over` is None), or one
        with a new name, has the slug of another or looks like it, `WORKFLOW_CHANGED` when the
        file is not at `over` any more; with both versions.
        """
        file, name = slug(workflow.name), workflow.name
        if at is not None and over is not None and slug(at) != file:
            return await self._moved(workflow, at, over, dialect, author)
        old = await self._files.read(file + ENDING)
        if old is not None and over is None:
            raise _taken(workflow, _stored(file, old))
        if old is None or (await _read(file, old)).name != name:
            await self._check_name(name, file)
        if over != (None if old is None else revision_of(old)):
            raise _changed(name, over, old, workflow)
        new = await _written(workflow, dialect)
        await self._swap(name, file, old, new, workflow)
        if self._versions is not None:
            await self._versions.record(file, new, author=author or _user(), before=old)
        return revision_of(new)

    async def record_current(self, name: str) -> Stored:
        """Load a workflow and record it as a version if another program wrote its file."""
        stored, data = await self._found(name)
        if self._versions is not None:
            await self._versions.record(stored.slug, data, author=None)
        return stored

    async def delete(self, name: str, *, over: Revision) -> None:
        """Delete the workflow's file at revision `over`. Raises `NotFound` or `Conflict`."""
        stored, data = await self._found(name)
        if stored.revision != over:
            raise _changed(name, over, data)
        await self._swap(name, stored.slug, data, None)

    async def rename(self, name: str, new_name: str, *, over: Revision) -> Revision:
        """Rename the workflow and its file. Raises `NotFound` or `Conflict`."""
        stored, data = await self._found(name)
        if stored.revision != over:
            raise _changed(name, over, data)
        renamed = replace(stored.workflow, name=new_name)
        return await self.save(renamed, over=over, at=name, dialect=stored.loaded.format)

    async def stamp(self) -> str:
        """Return a cheap version text that changes with every write by any program."""
        return repr(sorted((await self._files.stamps()).items()))

    async def changes(self, clock: Clock) -> AsyncGenerator[WorkflowChange]:
        """Yield changes of the files by any program, endlessly; touching a file is no change."""
        stamps, known = await self._files.stamps(), await self._revisions()
        while True:
            await clock.sleep(LOOK_EVERY_S)
            now = await self._files.stamps()
            if now == stamps:
                continue
            stamps, seen = now, known
            known = await self._revisions()
            for file in sorted(seen.keys() | known.keys()):
                if seen.get(file) != known.get(file):
                    yield WorkflowChange(file, known.get(file))

    async def _revisions(self) -> dict[str, Revision]:
        found = [
            (stem, await self._files.read(stem + ENDING))
            for stem in _stems(await self._files.names())
        ]
        return {stem: revision_of(data) for stem, data in found if data is not None}

    async def _moved(
        self,
        workflow: Workflow,
        at: str,
        over: Revision,
        dialect: FormatName,
        author: str | None,
    ) -> Revision:
        stored, data = await self._found(at)
        if stored.revision != over:
            raise _changed(at, over, data, workflow)
        file, new = slug(workflow.name), await _written(workflow, dialect)
        await self._check_name(workflow.name, stored.slug)
        # Written before the old one goes: a crash in between leaves both, never none.
        if not await self._files.swap(file + ENDING, None, new):
            there = await self._files.read(file + ENDING)
            raise _taken(workflow, _stored(file, there or b""))
        await self._swap(at, stored.slug, data, None, workflow)
        if self._versions is not None:
            by = author or _user()
            await self._versions.record(file, new, author=by, before=data, moved_from=stored.slug)
        return revision_of(new)

    async def _check_name(self, name: str, own: str) -> None:
        """Refuse a new name that is not what it seems; `own` is the file that it replaces."""
        check_new_name(name)
        for stem in _stems(await self._files.names()):
            if stem == own or not may_look_like(name, stem):
                continue
            data = await self._files.read(stem + ENDING)
            other = (await _read(stem, data)).name if data is not None else ""
            if look_alike(name, [other]) is not None:
                raise Conflict(
                    "WORKFLOW_NAME_TAKEN",
                    f"the workflow name {name!a} looks like {other!a}",
                    hint="choose a name that cannot be mistaken for it",
                    facts={"name": name, "other": other, "file": stem},
                )

    async def _found(self, name: str) -> tuple[Stored, bytes]:
        file = slug(name)
        data = await self._files.read(file + ENDING)
        if data is not None:
            stored = await self._read_once(file, data)
            if name in {stored.name, file}:
                return stored, data
        names = [stored.name for stored in await self.list()]
        raise NotFound(
            "WORKFLOW_NOT_FOUND",
            f"there is no workflow {name!r}",
            hint=did_you_mean(name, names) or "list the workflows to see their names",
        )

    async def _read_once(self, file: str, data: bytes) -> Stored:
        """Read a file; one that is large is read again only if its content is another."""
        if not LARGE <= len(data) <= MAX_KEPT:
            return await _read(file, data)
        kept, _ = self._kept.pop(file, (None, 0))
        if kept is None or kept.revision != revision_of(data):
            kept = await _read(file, data)
        self._kept[file] = (kept, len(data))
        while sum(length for _, length in self._kept.values()) > MAX_KEPT:
            del self._kept[next(iter(self._kept))]
        return kept

    async def _swap(
        self,
        name: str,
        file: str,
        old: bytes | None,
        new: bytes | None,
        yours: Workflow | None = None,
    ) -> None:
        if not await self._files.swap(file + ENDING, old, new):
            expected = None if old is None else revision_of(old)
            raise _changed(name, expected, await self._files.read(file + ENDING), yours)


def revision_of(data: bytes) -> Revision:
    """The hash of a file's content."""
    return Revision(hashlib.sha256(data).hexdigest())


def _user() -> str | None:
    """The user of this process."""
    try:
        return getuser()
    except (KeyError, OSError):  # a container may run as a user without a name
        return None


def _stems(names: list[str]) -> list[str]:
    stems = [name.removesuffix(ENDING) for name in names if name.endswith(ENDING)]
    return [stem for stem in stems if SLUG.fullmatch(stem)]


async def _read(file: str, data: bytes) -> Stored:
    """The same as `_stored`; a large file leaves the event loop free."""
    return _stored(file, data) if len(data) < LARGE else await run_sync(_stored, file, data)


async def _written(workflow: Workflow, dialect: FormatName) -> bytes:
    """The content of a file, written in a thread: the size is not known before."""
    return (await run_sync(dump, workflow, dialect)).encode()


def _stored(file: str, data: bytes) -> Stored:
    return Stored(load(data, name_hint=file + ENDING), revision_of(data), file)


def _taken(yours: Workflow, there: Stored) -> Conflict:
    name = yours.name
    if there.name == name:
        message = f"the workflow {name!r} already exists"
        hint = f"save with its revision {there.revision} to replace it, or choose another name"
    else:
        message = f"{name!r} would be saved in the file of {there.name!r}"
        hint = "choose a name that differs in letters or digits"
    facts: dict[str, Json] = {
        "name": name,
        "other": there.name,
        "file": there.slug,
        "revision": there.revision,
        "current": there.revision,
        "theirs": convert(there.workflow, "toolweave"),
        "yours": convert(yours, "toolweave"),
    }
    return Conflict("WORKFLOW_NAME_TAKEN", message, hint=hint, facts=facts)


def _changed(
    name: str, expected: Revision | None, there: bytes | None, yours: Workflow | None = None
) -> Conflict:
    facts: dict[str, Json] = {
        "name": name,
        "expected": expected,
        "current": None if there is None else revision_of(there),
        "theirs": None if there is None else convert(load(there).workflow, "toolweave"),
    }
    if yours is not None:
        facts["yours"] = convert(yours, "toolweave")
    return Conflict(
        "WORKFLOW_CHANGED",
        f"the workflow {name!r} changed since you read it",
        hint="load it again, merge your change, and save with the new revision",
        facts=facts,
    )
