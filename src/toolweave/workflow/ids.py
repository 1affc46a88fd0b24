"""File names of named workflows: a slug of the name, safe on every file system."""

import hashlib
import re
import unicodedata

from toolweave.errors import Invalid
from toolweave.patterns import pattern

MAX_NAME = 200
MAX_SLUG = 80
SLUG = pattern(r"[a-z0-9]+(-[a-z0-9]+)*")
# Names that mean a device on Windows, whatever follows the dot.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


def slug(name: str) -> str:
    """`AWS: Verfügbarkeit` as `aws-verfugbarkeit`; a name without Latin letters by its hash."""
    if not name.strip() or len(name) > MAX_NAME:
        raise Invalid(
            "WORKFLOW_NAME_INVALID",
            f"{name[:MAX_NAME]!r} is not a valid workflow name",
            hint=f"use 1 to {MAX_NAME} characters",
        )
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if not words or words in _DEVICES:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return f"workflow-{digest}"
    return words[:MAX_SLUG].rstrip("-")
