"""File names of named workflows: a slug of the name, safe on every file system."""

import hashlib
import re
import unicodedata

from toolweave.errors import Invalid
from toolweave.patterns import pattern
from toolweave.tools.text import as_seen, hidden_characters

MAX_NAME = 200
MAX_SLUG = 80
SLUG = pattern(r"[a-z0-9]+(-[a-z0-9]+)*")
# How the file of a name without Latin letters begins.
_UNNAMED = "workflow-"
# Names that mean a device on Windows, whatever follows the dot.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


def check_new_name(name: str) -> None:
    """Let a name pass that people see as it is. Raises `WORKFLOW_NAME_INVALID`."""
    hidden = hidden_characters(name)
    if not hidden and name == name.strip():
        return
    found = f"contains invisible characters: {', '.join(hidden[:5])}"
    raise Invalid(
        "WORKFLOW_NAME_INVALID",
        f"the workflow name {name[:MAX_NAME]!a} {found if hidden else 'begins or ends with space'}",
        hint="write the name without them",
    )


def may_look_like(name: str, file: str) -> bool:
    """Whether the workflow in a file of this slug can have a name that people read as `name`.

    A slug lacks the letters that only look like Latin ones, so it is a part of what is seen.
    """
    if file.startswith(_UNNAMED):
        return True
    seen = iter(_words(as_seen(name)))
    return all(letter in seen for letter in file)


def slug(name: str) -> str:
    """`AWS: Verfügbarkeit` as `aws-verfugbarkeit`; a name without Latin letters by its hash."""
    if not name.strip() or len(name) > MAX_NAME:
        raise Invalid(
            "WORKFLOW_NAME_INVALID",
            f"{name[:MAX_NAME]!r} is not a valid workflow name",
            hint=f"use 1 to {MAX_NAME} characters",
        )
    words = _words(name)
    if not words or words in _DEVICES:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return f"{_UNNAMED}{digest}"
    return words[:MAX_SLUG].rstrip("-")


def _words(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
