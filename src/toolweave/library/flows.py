"""Flow files of a repository: their entries in a list, and one flow of a file of several."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.workflow.checks.flow_rules import all_broken_rules
from toolweave.workflow.formats.load import read

MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class FlowEntry:
    """A flow's entry in a list, and its location."""

    name: str
    path: str
    blob: str
    at: int | None = None
    id: str | None = None
    version: str | None = None
    description: str | None = None
    node_count: int = 0
    created: str | None = None
    updated: str | None = None
    # Rules of the format that the flow breaks; it runs all the same.
    warnings: tuple[str, ...] = ()

    @property
    def is_own_name(self) -> bool:
        """Whether the flow is called as its file: such a flow wins over one of the same name."""
        return PurePosixPath(self.path).stem == self.name

    def as_json(self) -> JsonObject:
        """Return it as JSON."""
        shown: JsonObject = {
            "name": self.name,
            "id": self.id,
            "version": self.version,
            "description": self.description,
            "nodeCount": self.node_count,
            "path": self.path,
            "created": self.created,
            "updated": self.updated,
            "warnings": list(self.warnings) or None,
        }
        return {key: value for key, value in shown.items() if value is not None}


def parse(data: bytes, path: str) -> Json:
    """Parse the JSON of a file of a repository. Raises `PARSE_ERROR`."""
    try:
        return json_text.read(data.removeprefix(b"\xef\xbb\xbf"), max_depth=MAX_DEPTH)
    except Invalid as error:
        raise Invalid(
            "PARSE_ERROR",
            f"{path} cannot be read: {error.message}",
            hint="fix the file in its repository",
            facts={"path": path, **error.facts},
        ) from None


def entries_in(document: Json, path: str, blob: str) -> Iterator[FlowEntry]:
    """Return the flows of a file, by their metadata alone."""
    stem = PurePosixPath(path).stem
    if isinstance(document, dict):
        flows = document.get("flows")
        if isinstance(flows, list):
            # The only flow of a file can also be addressed by the file's name.
            is_alone = len(flows) == 1
            for at, flow in enumerate(flows):
                if isinstance(flow, dict):
                    yield _entry(flow, path, blob, at, stem if is_alone else None)
            return
        if isinstance(document.get("nodes"), list):
            yield _entry(document, path, blob, None, stem)
            return
    raise Invalid(
        "PARSE_ERROR",
        f"{path} is not a flow: it has neither 'nodes' nor 'flows'",
        facts={"path": path},
    )


def one_of(document: Json, entry: FlowEntry) -> Json:
    """Return the flow of an entry from its file."""
    if entry.at is None or not isinstance(document, dict):
        return document
    flows = document.get("flows")
    return flows[entry.at] if isinstance(flows, list) and entry.at < len(flows) else document


def _entry(flow: JsonObject, path: str, blob: str, at: int | None, stem: str | None) -> FlowEntry:
    meta = flow.get("meta", flow.get("metadata"))
    about = meta if isinstance(meta, dict) else {}
    nodes = flow.get("nodes")
    return FlowEntry(
        name=_text(about, "name") or stem or f"flow-{(at or 0) + 1}",
        path=path,
        blob=blob,
        at=at,
        id=_text(about, "id"),
        version=_text(about, "version"),
        description=_text(about, "description"),
        node_count=len(nodes) if isinstance(nodes, list) else 0,
        created=_text(about, "created") or _text(about, "created_at"),
        updated=_text(about, "updated") or _text(about, "updated_at"),
        warnings=tuple(flow_warnings(flow)),
    )


def flow_warnings(flow: Json) -> Iterator[str]:
    """What breaks a rule of the format, each with its place."""
    try:
        loaded = read(flow)
    except Invalid:
        return  # a run says why
    if loaded.format == "flow":
        noted = {one.pointer for one in loaded.problems}
        yield from (f"{one.pointer}: {one.message}" for one in loaded.problems)
        for problem in all_broken_rules(loaded.workflow):
            place = loaded.places.original(problem.pointer)
            if place not in noted:
                yield f"{place}: {problem.message}"


def _text(document: JsonObject, key: str) -> str | None:
    value = document.get(key)
    return value[:1_000] if isinstance(value, str) and value.strip() else None
