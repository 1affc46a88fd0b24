"""The history of a workflow: its saved versions, with the current and the published one marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from toolweave.errors import Invalid, NotFound
from toolweave.home import Home
from toolweave.json_record import JsonRecord
from toolweave.publishing.store import PublishedStore
from toolweave.storage.workflow_versions import MAX_LABEL, WorkflowVersion
from toolweave.workflow.formats.format import LoadedWorkflow
from toolweave.workflow.formats.load import load
from toolweave.workflow.ids import slug
from toolweave.workflow.store import Revision, Stored


class VersionRecord(JsonRecord):
    """A saved version of a workflow."""

    number: int
    revision: str
    saved_at: str
    # The name of the key or user that saved it; null for a file that another program wrote.
    author: str | None
    label: str | None
    is_current: bool
    is_published: bool


@dataclass(frozen=True, slots=True)
class VersionContent:
    """A saved version and its workflow."""

    record: VersionRecord
    loaded: LoadedWorkflow


class VersionHistory:
    """The versions of one home's workflows."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._versions = home.workflow_versions

    async def list(self, name: str) -> Sequence[VersionRecord]:
        """The versions of a workflow, newest first; also of a deleted one.

        Raises `NotFound`: `WORKFLOW_NOT_FOUND`.
        """
        _, records = await self._records(name)
        return records

    async def show(self, name: str, number: int) -> VersionContent:
        """One version. Raises `NotFound`: `WORKFLOW_NOT_FOUND`, `WORKFLOW_VERSION_NOT_FOUND`."""
        place, records = await self._records(name)
        version, content = await self._versions.get(place, number)
        record = next(one for one in records if one.number == version.number)
        return VersionContent(record, load(content, name_hint=f"{place}.json"))

    async def set_label(self, name: str, number: int, label: str | None) -> VersionRecord:
        """Name a version, so that it is kept; without a label, remove its name.

        Raises `NotFound`: `WORKFLOW_NOT_FOUND`, `WORKFLOW_VERSION_NOT_FOUND`; `Invalid`:
        `WORKFLOW_VERSION_NAME_INVALID`.
        """
        text = "".join(part for part in " ".join((label or "").split()) if part.isprintable())
        if len(text) > MAX_LABEL:
            raise Invalid(
                "WORKFLOW_VERSION_NAME_INVALID",
                "the name of the version is too long",
                hint=f"use at most {MAX_LABEL} characters",
            )
        place, _ = await self._records(name)
        await self._versions.set_label(place, number, text)
        return (await self.show(name, number)).record

    async def restore(
        self, name: str, number: int, *, over: Revision | None, author: str | None = None
    ) -> Stored:
        """Save a version again, over the current revision; the workflow keeps its current name.

        Raises `NotFound`: as above; `Conflict`: `WORKFLOW_CHANGED`, `WORKFLOW_NAME_TAKEN`.
        """
        store = self._home.workflows
        found = (await self.show(name, number)).loaded
        current = await self._current(name)
        workflow = found.workflow if current is None else replace(found.workflow, name=current.name)
        await store.save(
            workflow,
            over=over,
            at=None if current is None else current.name,
            dialect=found.format,
            author=author,
        )
        return await store.load(workflow.name)

    async def _records(self, name: str) -> tuple[str, Sequence[VersionRecord]]:
        """The slug of a workflow and its versions, with a file that another program wrote."""
        try:
            current = await self._home.workflows.record_current(name)
        except NotFound:
            current = None
        place = slug(name) if current is None else current.slug
        versions = await self._versions.list(place)
        if current is None and not versions:
            await self._home.workflows.load(name)  # says that there is no such workflow
        publications = await PublishedStore(self._home.database).of_workflow(place)
        published = {one.revision for one in publications}
        newest = versions[0].number if versions and current is not None else None
        # Of versions with the same content, such as one that was restored, the newest is marked.
        marked = {
            one.revision: one.number for one in reversed(versions) if one.revision in published
        }
        return place, [_record(one, newest, marked) for one in versions]

    async def _current(self, name: str) -> Stored | None:
        try:
            return await self._home.workflows.load(name)
        except NotFound:
            return None


def _record(
    version: WorkflowVersion, newest: int | None, published: Mapping[str, int]
) -> VersionRecord:
    return VersionRecord(
        number=version.number,
        revision=version.revision,
        saved_at=version.saved_at,
        author=version.author,
        label=version.label,
        is_current=version.number == newest,
        is_published=published.get(version.revision) == version.number,
    )
