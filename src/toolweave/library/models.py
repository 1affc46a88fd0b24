"""The results of a library: its flows and templates, and the commit they were read at."""

from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.library.flows import FlowEntry
from toolweave.library.remote import Remote
from toolweave.library.templates import PromptTemplate


@dataclass(frozen=True, slots=True)
class Library:
    """A repository by its local name, and its default ref."""

    name: str
    remote: Remote
    ref: str
    added_at: str

    def as_json(self) -> JsonObject:
        """Return it as JSON."""
        return {
            "name": self.name,
            "url": self.remote.url,
            "ref": self.ref,
            "addedAt": self.added_at,
        }


@dataclass(frozen=True, slots=True)
class LibraryRevision:
    """The commit something was read at, and why it may be old."""

    ref: str
    commit: str
    checked_at: str
    stale: str | None = None

    def as_json(self) -> JsonObject:
        """Return it as JSON; `stale` only if the remote could not be asked."""
        shown: JsonObject = {"ref": self.ref, "commit": self.commit, "checkedAt": self.checked_at}
        return {**shown, "stale": self.stale} if self.stale else shown


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was skipped, and why."""

    path: str
    reason: str

    def as_json(self) -> JsonObject:
        """Return it as JSON."""
        return {"path": self.path, "reason": self.reason}


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
class FoundFlow:
    """One flow as written in its file."""

    at: LibraryRevision
    entry: FlowEntry
    document: Json
