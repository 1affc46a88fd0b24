"""What a shelf gives: libraries, what they hold, and at which commit it was read."""

from dataclasses import dataclass

from toolweave.json_text import Json, JsonObject
from toolweave.library.flows import FlowEntry
from toolweave.library.remote import Remote
from toolweave.library.templates import PromptTemplate


@dataclass(frozen=True, slots=True)
class Library:
    """A repository by the name it has here, and the ref that is used unless another is asked."""

    name: str
    remote: Remote
    ref: str
    added_at: str

    def as_json(self) -> JsonObject:
        """The shape doors show."""
        return {
            "name": self.name,
            "url": self.remote.url,
            "ref": self.ref,
            "addedAt": self.added_at,
        }


@dataclass(frozen=True, slots=True)
class LibraryRevision:
    """At which commit something was read, and why it may be old."""

    ref: str
    commit: str
    checked_at: str
    stale: str | None = None

    def as_json(self) -> JsonObject:
        """The shape doors show; `stale` only where the remote could not be asked."""
        shown: JsonObject = {"ref": self.ref, "commit": self.commit, "checkedAt": self.checked_at}
        return {**shown, "stale": self.stale} if self.stale else shown


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was left out, and why."""

    path: str
    reason: str

    def as_json(self) -> JsonObject:
        """The shape doors show."""
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
    """One flow as it stands in its file."""

    at: LibraryRevision
    entry: FlowEntry
    document: Json
