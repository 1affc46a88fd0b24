"""An entry of `skills/list`: a skill's front matter, and its files with size and digest.

Reads what a server sent, which is not trusted, and compares the files with it.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import cast
from urllib.parse import unquote

from toolweave import json_text
from toolweave.errors import Denied, Invalid, NotFound
from toolweave.json_text import Json, JsonObject
from toolweave.patterns import pattern
from toolweave.problems import did_you_mean
from toolweave.servers.disconnect_reason import printable
from toolweave.tools.tool import Content

MAIN = "SKILL.md"
# What the extension allows one skill.
MAX_FILES = 512
MAX_BYTES = 16 * 1024 * 1024
MAX_URI = 2_000
FRONT_MATTER_DEPTH = 20
_NAME = pattern(r"^(?!.*--)[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")
_DIGEST = pattern(r"^sha256:[0-9a-f]{64}$")
_FRONT_MATTER = pattern(r"\A\ufeff?---\r?\n(.*?)\r?\n---[ \t]*(\r?\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file of a skill."""

    uri: str
    digest: str
    size: int

    def verified(self, blocks: Sequence[Content]) -> Content:
        """Return the part that is this file. Raises `Denied`: `SKILL_MISMATCH`."""
        if len(blocks) != 1 or blocks[0].uri != self.uri:
            raise _mismatch(self.uri, "the server answered with another resource")
        data = content_bytes(blocks[0])
        if len(data) != self.size:
            raise _mismatch(self.uri, f"it has {len(data)} bytes, not {self.size}")
        if f"sha256:{hashlib.sha256(data).hexdigest()}" != self.digest:
            raise _mismatch(self.uri, "its digest is another one")
        return blocks[0]


@dataclass(frozen=True, slots=True)
class ServerSkill:
    """A skill that a server lists."""

    uri: str
    frontmatter: JsonObject
    files: tuple[SkillFile, ...]

    @property
    def name(self) -> str:
        """The name in its front matter, which is also that of its folder."""
        return str(self.frontmatter["name"])

    @property
    def description(self) -> str:
        """What it is for."""
        return str(self.frontmatter.get("description", ""))

    @property
    def hash(self) -> str:
        """The hash of everything that an approval covers."""
        return hashlib.sha256(json_text.canonical(self.as_json())).hexdigest()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its files below its folder."""
        return tuple(unquote(one.uri.removeprefix(self._folder)) for one in self.files)

    @property
    def _folder(self) -> str:
        return self.uri.removesuffix(MAIN)

    def as_json(self) -> JsonObject:
        """Return the entry as it is kept: the files in the order of their addresses."""
        files: list[Json] = [
            {"uri": one.uri, "digest": one.digest, "size": one.size}
            for one in sorted(self.files, key=lambda one: one.uri)
        ]
        return {"uri": self.uri, "frontmatter": self.frontmatter, "resources": files}

    def file(self, named: str | None = None) -> SkillFile:
        """Return a listed file by its path or address. Raises `NotFound`: `SKILL_NOT_FOUND`."""
        wanted = named or MAIN
        for one, path in zip(self.files, self.paths, strict=True):
            if wanted in (path, one.uri):
                return one
        raise NotFound(
            "SKILL_NOT_FOUND",
            f"skill {self.name!r} lists no file {printable(wanted, 200)!r}",
            hint=did_you_mean(wanted, self.paths) or f"its files: {', '.join(self.paths[:50])}",
        )

    def verified(self, file: SkillFile, blocks: Sequence[Content]) -> Content:
        """Return the file as it was listed; the front matter of SKILL.md is compared as well.

        Raises `Denied`: `SKILL_MISMATCH`.
        """
        found = file.verified(blocks)
        if file.uri == self.uri and front_matter(content_bytes(found)) != self.frontmatter:
            raise _mismatch(file.uri, "its front matter is not the one in the list of skills")
        return found


def read_entry(raw: Json) -> ServerSkill:
    """Read an entry. Raises `Invalid`: `SKILL_INVALID`."""
    entry = raw if isinstance(raw, dict) else {}
    uri, matter, listed = (entry.get(key) for key in ("uri", "frontmatter", "resources"))
    if not isinstance(uri, str) or len(uri) > MAX_URI or not uri.endswith(f"/{MAIN}"):
        raise _invalid("?", f"its address does not end in /{MAIN}")
    if not isinstance(matter, dict) or not isinstance(matter.get("name"), str):
        raise _invalid(uri, "it has no front matter with a name")
    name = str(matter["name"])
    if not _NAME.search(name) or uri.split("/")[-2] != name:
        raise _invalid(uri, f"{name!r} is no name of a skill, or not that of its folder")
    if listed == "dynamic":
        raise _invalid(uri, "its files change at will, so no content can be approved")
    if not isinstance(listed, list) or not 0 < len(listed) <= MAX_FILES:
        raise _invalid(uri, f"it lists no files, or more than {MAX_FILES}")
    files = tuple(_file(uri, one) for one in listed)
    addresses = [one.uri for one in files]
    if len(set(addresses)) < len(addresses) or uri not in addresses:
        raise _invalid(uri, f"{MAIN} is not listed, or a file is listed twice")
    if sum(one.size for one in files) > MAX_BYTES:
        raise _invalid(uri, f"its files have more than {MAX_BYTES} bytes together")
    return ServerSkill(uri, matter, files)


def _file(skill: str, raw: Json) -> SkillFile:
    entry = raw if isinstance(raw, dict) else {}
    uri, digest, size = (entry.get(key) for key in ("uri", "digest", "size"))
    folder = skill.removesuffix(MAIN)
    if not isinstance(uri, str) or len(uri) > MAX_URI or not uri.startswith(folder):
        raise _invalid(skill, "a file is outside of its folder")
    parts = unquote(uri.removeprefix(folder)).split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise _invalid(skill, "a file is outside of its folder")
    if not isinstance(digest, str) or not _DIGEST.search(digest):
        raise _invalid(skill, "a file has no SHA-256 digest")
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise _invalid(skill, "a file has no size")
    return SkillFile(uri, digest, size)


def content_bytes(block: Content) -> bytes:
    """Return the bytes of a file, whether it came as text or as data."""
    return block.data if block.data is not None else (block.text or "").encode()


def front_matter(data: bytes) -> JsonObject:
    """Return the front matter of a SKILL.md; empty if it has none that can be read."""
    found = _FRONT_MATTER.search(data.decode(errors="replace"))
    if found is None:
        return {}
    try:
        # Loaded with the first skill: a YAML parser is slow to load.
        read_yaml = import_module("toolweave.workflow.yaml_text").read_yaml
        read = read_yaml(found[1].encode(), max_depth=FRONT_MATTER_DEPTH)
    except Invalid:
        return {}
    return cast("JsonObject", read) if isinstance(read, dict) else {}


def _invalid(uri: str, why: str) -> Invalid:
    return Invalid("SKILL_INVALID", f"skill {printable(uri, 200)!r} cannot be used: {why}")


def _mismatch(uri: str, why: str) -> Denied:
    return Denied(
        "SKILL_MISMATCH",
        f"{printable(uri, 200)!r} is not the listed file: {why}",
        hint="its content is not used; compare and approve the skill again, or ask its author",
    )
