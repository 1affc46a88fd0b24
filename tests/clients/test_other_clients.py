"""MCP clients of other projects against `toolweave serve`: only by `./scripts/test --clients`.

Each has an environment of its own in `.cache/clients`: they need different versions of the SDK.
"""

import json
import os
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from conformance.conftest import FAST
from conformance.fixtures import publish_all
from conformance.programs import node
from rest.process import Served, served

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".cache" / "clients"
CLIENTS = [
    line.split()[0] for line in (HERE / "requirements.txt").read_text(encoding="utf-8").splitlines()
]
IS_WANTED = os.environ.get("TEST_CLIENTS") == "1"
pytestmark = [
    pytest.mark.skipif(not IS_WANTED, reason="only by ./scripts/test --clients"),
    pytest.mark.anyio,
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    home = tmp_path_factory.mktemp("clients") / "home"
    anyio.run(publish_all, home)
    with served(home, FAST) as running:
        yield running


def run(client: str, url: str, key: str, home: Path) -> subprocess.CompletedProcess[str]:
    python = CACHE / client / "bin" / "python"
    return subprocess.run(
        [python, HERE / f"{client}.py", url, key],
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_lists_calls_sees_an_image_and_is_told_of_an_error(
    tmp_path: Path, server: Served, client: str
) -> None:
    done = run(client, f"{server.url}/mcp", server.key, tmp_path)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert {"test_simple_text", "test_image_content"} <= set(found["tools"])
    assert "This is a simple text response for testing." in found["text"]
    assert "image" in found["image"]
    assert found["failed"] is True
    assert found.get("asked", True) is True  # only by clients that answer questions
    # The control: without a key it fails, so the key was what let it in.
    assert run(client, f"{server.url}/mcp", "no-key", tmp_path).returncode != 0


async def test_mcp_remote_lists_calls_and_sees_an_image(tmp_path: Path, server: Served) -> None:
    program = node()
    assert program is not None
    script = CACHE / "npm" / "node_modules" / "mcp-remote" / "dist" / "proxy.js"
    address = [f"{server.url}/mcp", "--allow-http", "--header", f"X-API-Key:{server.key}"]
    parameters = StdioServerParameters(
        command=program,
        args=[str(script), *address],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )
    with anyio.fail_after(120):
        async with Client(stdio_client(parameters), mode="legacy") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            text = await client.call_tool("test_simple_text", {})
            image = await client.call_tool("test_image_content", {})
    assert {"test_simple_text", "test_image_content"} <= names
    assert "simple text" in str(text.content)
    assert any(isinstance(part, types.ImageContent) for part in image.content)
