"""The documentation site at `/docs`: files of one folder, whose scripts are allowed by hash."""

import base64
import hashlib
import json
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette

from toolweave.rest.docs_pages import SCRIPTS, docs_routes

pytestmark = pytest.mark.anyio

HASH = "sha256-" + base64.b64encode(hashlib.sha256(b"go()").digest()).decode()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "docs_site"
    (folder / "running").mkdir(parents=True)
    (folder / "index.html").write_text("<script>go()</script>", encoding="utf-8")
    (folder / "running" / "index.html").write_text("Running", encoding="utf-8")
    (folder / SCRIPTS).write_text(json.dumps([HASH]), encoding="ascii")
    (tmp_path / "secret").write_text("mine", encoding="utf-8")
    return folder


def client_of(folder: Path) -> httpx2.AsyncClient:
    app = Starlette(routes=docs_routes(folder))
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://studio")


async def test_pages_are_served_by_their_folder(site: Path) -> None:
    async with client_of(site) as client:
        start = await client.get("/docs")
        page = await client.get("/docs/running/")
        short = await client.get("/docs/running")
    assert (start.status_code, start.headers["location"]) == (307, "/docs/")
    assert (page.status_code, page.text) == (200, "Running")
    assert short.headers["location"] == "/docs/running/"


async def test_only_the_inline_scripts_of_the_site_may_run(site: Path) -> None:
    async with client_of(site) as client:
        policy = (await client.get("/docs/")).headers["content-security-policy"]
    [scripts] = [part for part in policy.split("; ") if part.startswith("script-src")]
    assert scripts == f"script-src 'self' '{HASH}'"


@pytest.mark.parametrize("path", ["..%2fsecret", "running/..%2f..%2fsecret", "a%00", "gone/"])
async def test_files_outside_the_site_are_not_there(site: Path, path: str) -> None:
    async with client_of(site) as client:
        assert (await client.get("/docs/running/")).status_code == 200
        answer = await client.get(f"/docs/{path}")
    assert answer.status_code == 404
    assert "mine" not in answer.text


@pytest.mark.parametrize("path", ["..", "/{}", "{}/..", "%2e%2e/docs_site/..", "a" * 300])
async def test_nobody_learns_which_folders_there_are_elsewhere(site: Path, path: str) -> None:
    async with client_of(site) as client:
        inside = await client.get("/docs/running")
        assert inside.status_code == 307  # the positive control: a folder of the site
        answer = await client.get("/docs/" + path.format(site.parent).replace("..", "%2e%2e"))
    assert answer.status_code == 404


async def test_a_site_that_is_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    async with client_of(tmp_path / "none") as client:
        answer = await client.get("/docs/")
    assert answer.status_code == 503
    assert "./scripts/docs" in answer.text
