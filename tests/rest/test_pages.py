"""The studio's pages: served without a key, cached rightly, under a policy that is strict."""

from pathlib import Path

import anyio
import httpx2
import pytest
from starlette.applications import Starlette

from rest.house import House
from toolweave.rest.pages import POLICY, page_routes

pytestmark = pytest.mark.anyio


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>", encoding="utf-8")
    (folder / "assets" / "index-abc.js").write_text("1", encoding="utf-8")
    (tmp_path / "secret").write_text("mine", encoding="utf-8")
    return folder


def client_of(folder: Path) -> httpx2.AsyncClient:
    app = Starlette(routes=page_routes(folder))
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://studio")


async def test_the_page_is_asked_for_again_and_hashed_files_are_kept(built: Path) -> None:
    async with client_of(built) as client:
        page = await client.get("/")
        script = await client.get("/assets/index-abc.js")
        again = await client.get("/", headers={"If-None-Match": page.headers["etag"]})
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-cache")
    assert page.headers["content-type"].startswith("text/html")
    assert "immutable" in script.headers["cache-control"]
    assert script.headers["content-type"].startswith("text/javascript")
    assert (again.status_code, again.content) == (304, b"")


async def test_no_inline_code_may_run_and_nobody_may_frame_the_page(built: Path) -> None:
    async with client_of(built) as client:
        headers = (await client.get("/")).headers
    assert headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert "frame-ancestors 'none'" in POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/assets/..%2f..%2fsecret", "/assets/%2e%2e%2findex.html%00", "/assets/gone.js"]
)
async def test_files_outside_the_folder_are_not_there(built: Path, path: str) -> None:
    async with client_of(built) as client:
        assert (await client.get(path)).status_code == 404


async def test_a_link_out_of_the_folder_is_not_followed(built: Path) -> None:
    await anyio.Path(built / "assets" / "out.js").symlink_to(built.parent / "secret")
    async with client_of(built) as client:
        assert (await client.get("/assets/out.js")).status_code == 404


async def test_a_page_that_is_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    async with client_of(tmp_path) as client:
        answer = await client.get("/")
    assert answer.status_code == 503
    assert "scripts/build_web.py" in answer.text


async def test_a_page_of_another_origin_and_another_host_get_nothing(house: House) -> None:
    for headers, status in (({"Origin": "http://evil.test"}, 403), ({"Host": "evil.test"}, 421)):
        assert (await house.client.get("/", headers=headers)).status_code == status
