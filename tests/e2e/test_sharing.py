"""What is shared as files: a library of flows in git, and a document with tool blocks."""

from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from playwright.async_api import Page, expect

from e2e.studio import Studio, shot
from library.repo import Repo

pytestmark = pytest.mark.anyio

NOTES = "# Before we leave\n\n~~~demo\ntool: weather\ncity: London\n~~~\n\nThe end.\n"


@pytest.fixture(scope="module")
def studio(shared_studio: Studio) -> Studio:
    return shared_studio


async def test_a_flow_of_a_repository_is_run_from_its_page(
    page: Page, studio: Studio, tmp_path: Path
) -> None:
    repo = Repo(tmp_path / "flows")
    await page.goto(f"{studio.url}/#/manage/library")
    await page.get_by_role("button", name="Add a repository", exact=True).click()
    form = page.get_by_role("form", name="Add a repository")
    await form.get_by_label("Name").fill("team")
    await form.get_by_label("Repository").fill(str(repo.folder))
    await form.get_by_role("button", name="Add a repository").click()
    await page.get_by_role("button", name="Show team").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Run Marketing_Strategy").click()
    inputs = dialog.get_by_label("Inputs, as JSON")
    await expect(inputs).to_contain_text("company_name")
    await inputs.fill('{"company_name": ')
    await expect(dialog.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    await inputs.fill('{"company_name": "TechCorp", "market": "AI", "budget": "100K"}')
    await dialog.get_by_role("button", name="Run", exact=True).click()
    await expect(dialog.get_by_role("status")).to_contain_text("Position TechCorp in AI.")
    await shot(page, "library-run")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Remove team").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(page.get_by_role("button", name="Remove team")).to_have_count(0)
    assert repo.git("status", "--porcelain") == ""


async def test_a_document_is_checked_and_run_from_its_page(page: Page, studio: Studio) -> None:
    await studio.ask(page, "POST", "/api/v1/samples")
    folder = anyio.Path(studio.home / "files")
    await folder.mkdir(exist_ok=True)
    await (folder / "notes.md").write_text(NOTES, "utf-8")
    await page.goto(f"{studio.url}/#/manage/documents")
    row = page.get_by_role("row", name="notes.md")
    await row.get_by_role("button", name="Check").click()
    await expect(page.locator(".notice", has_text="1 blocks, 0 problems")).to_be_visible()
    await row.get_by_role("button", name="Run").click()
    await expect(page.locator(".notice", has_text="1 ran, 0 failed")).to_be_visible()
    await shot(page, "document-run")
    text = await (folder / "notes.md").read_text("utf-8")
    assert text.startswith(NOTES.removesuffix("\nThe end.\n"))
    assert text.endswith("\nThe end.\n")
    assert text.count("London") > NOTES.count("London")
    listed = cast("Any", await studio.ask(page, "GET", "/api/v1/documents"))
    # Another journey may have written one of its own.
    assert len([one for one in listed["documents"] if one.endswith("notes.md")]) == 1
