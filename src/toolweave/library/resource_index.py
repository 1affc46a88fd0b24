"""`resources/index.json` of a library: which of its files MCP clients read, and under which URI."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject
from toolweave.library.files import path_beside
from toolweave.patterns import pattern

INDEX = "resources/index.json"
MAX_RESOURCES = 200
MAX_URI = 500
# Schemes whose meaning is fixed: a library must not look like a file, a web page or our own data.
RESERVED = frozenset(
    {"toolweave", "skill", "ui", "file", "http", "https", "data", "javascript", "blob", "about"}
)
_URI = pattern(r"([a-z][a-z0-9+.-]*)://[^\s{}<>\\^`|\x22]+")
_NAMES = pattern(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class LibraryResource:
    """A file that clients read; with names in its address, a text that they fill."""

    address: str | None
    path: str
    blob: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names in its address."""
        return tuple(match[1] for match in _NAMES.finditer(self.address or ""))

    def matches(self, uri: str) -> dict[str, str] | None:
        """The values of its names, if `uri` is its address."""
        if self.address is None:
            return None
        parts = _NAMES.split(self.address)
        # Every second part is a name.
        pieces = (
            re.escape(part) if at % 2 == 0 else f"(?P<{part}>[^/?#]{{1,200}})"
            for at, part in enumerate(parts)
        )
        match = re.fullmatch("".join(pieces), uri)
        return {name: unquote(text) for name, text in match.groupdict().items()} if match else None


def read_index(document: Json) -> Iterator[JsonObject]:
    """Return the entries of the file. Raises `Invalid`: `PARSE_ERROR`."""
    listed = document.get("resources") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise Invalid("PARSE_ERROR", "it has no list 'resources'")
    if len(listed) > MAX_RESOURCES:
        raise Invalid("PARSE_ERROR", f"it names more than {MAX_RESOURCES} resources")
    for one in listed:
        yield one if isinstance(one, dict) else {}


def read_resource(entry: JsonObject, files: Mapping[str, str]) -> LibraryResource:
    """Return one entry, whose file is one of `files`. Raises `Invalid`: `PARSE_ERROR`."""
    named = _text(entry, "file")
    if named is None:
        raise Invalid("PARSE_ERROR", "a resource needs a 'file'")
    path = path_beside(INDEX, named)
    if path not in files:
        raise Invalid("PARSE_ERROR", f"{path} does not exist, or is not a plain file")
    address = _text(entry, "uri") or _text(entry, "uriTemplate")
    resource = LibraryResource(
        address,
        path,
        files[path],
        _text(entry, "title"),
        _text(entry, "description"),
        _text(entry, "mimeType"),
    )
    _require_address(resource, is_template="uriTemplate" in entry)
    return resource


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the names of an address filled in once; others stay."""
    return _NAMES.sub(lambda match: values.get(match[1], match[0]), text)


def _require_address(resource: LibraryResource, *, is_template: bool) -> None:
    if resource.address is None:
        return
    plain = _NAMES.sub("x", resource.address)
    match = _URI.fullmatch(plain)
    names = resource.names
    if match is None or len(plain) > MAX_URI or len(set(names)) < len(names):
        raise Invalid("PARSE_ERROR", f"{resource.address[:200]!r} is not a valid URI")
    if match[1] in RESERVED:
        raise Invalid("PARSE_ERROR", f"the scheme {match[1]!r} of a resource is reserved")
    if bool(names) != is_template:
        key = "uriTemplate" if names else "uri"
        raise Invalid("PARSE_ERROR", f"{resource.address[:200]!r} belongs under {key!r}")


def _text(document: JsonObject, key: str) -> str | None:
    value = document.get(key)
    return value[:2_000] if isinstance(value, str) and value else None
