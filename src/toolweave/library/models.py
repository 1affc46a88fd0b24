"""The results of a library: its flows and templates, and the commit they were read at."""

from dataclasses import dataclass

from toolweave.json_record import JsonRecord
from toolweave.json_text import Json
from toolweave.library.flows import FlowEntry
from toolweave.library.remote import Remote
from toolweave.library.resource_index import LibraryResource
from toolweave.library.templates import PromptTemplate


@dataclass(frozen=True, slots=True)
class Library:
    """A repository by its local name, and its default ref."""

    name: str
    remote: Remote
    ref: str
    added_at: str

    @property
    def url(self) -> str:
        """Where the repository is."""
        return self.remote.url


class LibraryRevision(JsonRecord):
    """At which commit something was read; `stale` says why it may be outdated, if it may."""

    ref: str
    commit: str
    checked_at: str
    stale: str | None = None


class Skipped(JsonRecord):
    """A file that was left out, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class FlowList:
    """The flows of a library."""

    at: LibraryRevision
    flows: tuple[FlowEntry, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class TemplateList:
    """The templates of a library."""

    at: LibraryRevision
    templates: tuple[PromptTemplate, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class ResourceList:
    """The resources of a library."""

    at: LibraryRevision
    resources: tuple[LibraryResource, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class FoundFlow:
    """One flow as written in its file."""

    at: LibraryRevision
    entry: FlowEntry
    document: Json
