"""Package metadata that depends on where the project is published: the README and the links.

A package index shows the README without the repository beside it, so its relative links become
absolute. `TOOLWEAVE_HOMEPAGE` is the address of the repository; without it, as in every build that
is not a release, the README is taken as it is and there are no links.
"""

import os
import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # imported by a test
    MetadataHookInterface = object  # type: ignore[assignment,misc]

HOMEPAGE = "TOOLWEAVE_HOMEPAGE"
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>(?!https?:|#|mailto:)[^)\s]+)\)")


class MetadataHook(MetadataHookInterface):  # type: ignore[misc]
    """Adds the README and, in a release, the links."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Complete the metadata of `pyproject.toml`."""
        homepage = os.environ.get(HOMEPAGE, "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme(text, homepage)}
        metadata["urls"] = links(homepage)


def readme(text: str, homepage: str) -> str:
    """The README with absolute links, if the address of the repository is known."""
    if not homepage:
        return text

    def absolute(match: re.Match[str]) -> str:
        kind = "raw" if match["image"] else "blob"
        return f"{match['image']}[{match['text']}]({homepage}/{kind}/main/{match['target']})"

    return _LINK.sub(absolute, text)


def links(homepage: str) -> dict[str, str]:
    """The links that an index shows beside the package."""
    if not homepage:
        return {}
    return {
        "Homepage": homepage,
        "Documentation": f"{homepage}/blob/main/docs/index.md",
        "Changelog": f"{homepage}/blob/main/CHANGELOG.md",
        "Issues": f"{homepage}/issues",
        "Source": homepage,
    }
