"""A schema as a document: all its subschemas, and the targets of local `$ref`s."""

from collections.abc import Iterator
from urllib.parse import unquote

from toolweave.json_text import Json, JsonObject
from toolweave.tools.keywords import REFERENCES, is_schema, subschemas

Steps = tuple[str | int, ...]


class SchemaDocument:
    """One schema with its definitions; references never leave it."""

    def __init__(self, root: Json) -> None:
        self.root = root
        self._anchors: dict[str, Json] | None = None

    def target(self, reference: str) -> Json:
        """Return the schema that a local `reference` points to. Raises `LookupError`."""
        if not reference.startswith("#"):
            raise LookupError(reference)
        fragment = unquote(reference[1:])
        found = self._at(fragment) if fragment[:1] in ("", "/") else self._anchored(fragment)
        if not is_schema(found):
            raise LookupError(reference)
        return found

    def places(self) -> Iterator[tuple[Steps, Json]]:
        """Yield every subschema with its path from the root, including `$ref` targets."""
        waiting: list[tuple[Steps, Json]] = [((), self.root)]
        seen: set[int] = set()
        while waiting:
            steps, schema = waiting.pop()
            if isinstance(schema, dict):
                if id(schema) in seen:
                    continue
                seen.add(id(schema))
            yield steps, schema
            if isinstance(schema, dict):
                waiting.extend(
                    ((*steps, *below), sub)
                    for _, below, sub in subschemas(schema)
                    if not (below[0] == "dependencies" and isinstance(sub, list))
                )
                waiting.extend(self._referenced(schema))

    def _referenced(self, schema: JsonObject) -> Iterator[tuple[Steps, Json]]:
        for reference in references(schema):
            if reference.startswith("#/"):
                try:
                    yield _unescaped(unquote(reference[1:])), self.target(reference)
                except LookupError:
                    continue

    def _at(self, fragment: str) -> Json:
        found = self.root
        for step in _unescaped(fragment):
            if isinstance(found, dict):
                found = found[step]
            elif isinstance(found, list) and step.isdecimal():
                found = found[int(step)]
            else:
                raise LookupError(fragment)
        return found

    def _anchored(self, name: str) -> Json:
        if self._anchors is None:
            self._anchors = {
                anchor: schema
                for _, schema in self.places()
                if isinstance(schema, dict)
                for anchor in _anchors_of(schema)
            }
        return self._anchors[name]


def references(schema: JsonObject) -> list[str]:
    """The references of one schema, in the order they are followed."""
    if schema.keys().isdisjoint(REFERENCES):
        return []
    found = (schema.get(keyword) for keyword in REFERENCES)
    return [reference for reference in found if isinstance(reference, str)]


def _unescaped(fragment: str) -> tuple[str, ...]:
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in fragment.split("/")[1:])


def _anchors_of(schema: JsonObject) -> Iterator[str]:
    for keyword in ("$anchor", "$dynamicAnchor"):
        if isinstance(name := schema.get(keyword), str):
            yield name
    for keyword in ("$id", "id"):
        # Drafts 4 to 7 wrote an anchor as an identifier of only a fragment.
        if isinstance(name := schema.get(keyword), str) and name.startswith("#"):
            yield name[1:]
