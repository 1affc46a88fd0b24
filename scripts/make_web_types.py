"""Writes `web/types/api.d.ts` from our OpenAPI. `python scripts/make_web_types.py [--check]`.

The file begins with a hash of what it was made from, so that a stale one is found without node.
"""

import hashlib
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
import httpx2
from build_web import WEB, Unbuildable, install, programs, run

from toolweave.access.keys import ApiKeys
from toolweave.home import open_home
from toolweave.rest.openapi import PATH
from toolweave.serve.http import ListenAddress, open_app
from toolweave.settings import Settings

TYPES = WEB / "types" / "api.d.ts"
MARK = "// Made by scripts/make_web_types.py from "


async def described(home: Path) -> dict[str, Any]:
    """The OpenAPI document of a service over a fresh home."""
    address = ListenAddress("127.0.0.1", 80)
    async with (
        open_home(Settings(home=home), environ={}, directory=home) as home,
        open_app(home, address, log=io.StringIO()) as app,
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1:80"
        ) as client,
    ):
        _, key = await ApiKeys(home.database, home.clock).create("types", ["tools:read"])
        headers = {"X-API-Key": key, "Host": "127.0.0.1:80"}
        return (await client.get(PATH, headers=headers)).raise_for_status().json()


def lean(document: dict[str, Any]) -> dict[str, Any]:
    """The document without refusals, which all have one shape and are read in one place."""
    for methods in document["paths"].values():
        for operation in methods.values():
            answers = operation["responses"]
            operation["responses"] = {
                status: {key: value for key, value in answer.items() if key != "headers"}
                for status, answer in answers.items()
                if status < "300"
            }
    return document


def text_of(document: dict[str, Any]) -> str:
    """The OpenAPI document in one spelling."""
    return json.dumps(document, sort_keys=True, ensure_ascii=True)


def digest(document: dict[str, Any]) -> str:
    """What names a version of the document."""
    return hashlib.sha256(text_of(document).encode()).hexdigest()[:32]


def is_stale(document: dict[str, Any]) -> bool:
    """Whether the types are of another document."""
    first = TYPES.read_text(encoding="utf-8").partition("\n")[0] if TYPES.is_file() else ""
    return first != MARK + digest(document)


def make(document: dict[str, Any]) -> None:
    """Write the types."""
    node, npm = programs()
    install(node, npm)
    generator = WEB / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "openapi.json", Path(folder) / "schema.d.ts"
        source.write_text(text_of(document), encoding="utf-8")
        run([node, generator, source, "-o", target], node)
        made = target.read_text(encoding="utf-8")
    TYPES.parent.mkdir(exist_ok=True)
    TYPES.write_text(f"{MARK}{digest(document)}\n{made}", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Make them, or say that they are stale."""
    with tempfile.TemporaryDirectory() as home:
        document = lean(anyio.run(described, Path(home)))
    if not is_stale(document):
        return 0
    if "--check" in arguments:
        sys.stderr.write("stale: run scripts/make_web_types.py\n")
        return 1
    try:
        make(document)
    except Unbuildable as error:
        sys.stderr.write(f"the types cannot be made: {error}\n")
        return 1
    sys.stdout.write(f"wrote {TYPES.relative_to(WEB.parent)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
