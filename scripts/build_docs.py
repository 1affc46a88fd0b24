"""Builds the documentation site into the package: `python scripts/build_docs.py`, or the hook.

The generator is `zensical`, which reads `mkdocs.yml`. An unchanged source is not built again. The
hashes of the inline scripts are stored beside the pages, because the service allows only these.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SETTINGS = ROOT / "mkdocs.yml"
SITE = ROOT / "src" / "toolweave" / "rest" / "docs_site"
STAMP = SITE / "stamp"
SCRIPTS = SITE / "scripts.json"
FIRST_LINES = 30
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def source_hash() -> str:
    """What the site depends on, in one line."""
    total = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(sources()):
        total.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def sources() -> Iterator[Path]:
    """The pages, their pictures and the settings."""
    yield SETTINGS
    yield from (path for path in DOCS.rglob("*") if path.is_file())


def is_due() -> bool:
    """Whether the site is missing or older than its source."""
    built = STAMP.read_text(encoding="ascii") if STAMP.is_file() else None
    return SETTINGS.is_file() and built != source_hash()


def build() -> str | None:
    """Build the site; return why it could not be built."""
    if find_spec("zensical") is None:
        return "the package `zensical` is not installed"
    shutil.rmtree(SITE, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(SETTINGS)],
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0 or not (SITE / "index.html").is_file():
        shutil.rmtree(SITE, ignore_errors=True)
        said = COLOUR.sub("", done.stdout + done.stderr).strip().splitlines()
        return "\n".join(said[:FIRST_LINES])
    SCRIPTS.write_text(json.dumps(sorted(inline_hashes())), encoding="ascii")
    STAMP.write_text(source_hash(), encoding="ascii")
    return None


def inline_hashes() -> set[str]:
    """The inline scripts of all pages, as a content security policy names them."""
    texts = {text for page in SITE.rglob("*.html") for text in INLINE.findall(page.read_bytes())}
    digests = (base64.b64encode(hashlib.sha256(text).digest()).decode() for text in texts)
    return {f"sha256-{digest}" for digest in digests}


def main() -> int:
    """Build from the command line."""
    if not is_due():
        sys.stdout.write("up to date\n")
        return 0
    if reason := build():
        sys.stderr.write(f"the documentation site cannot be built: {reason}\n")
        return 1
    sys.stdout.write("built\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
