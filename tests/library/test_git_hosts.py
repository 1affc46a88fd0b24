"""Libraries of private hosts: tokens and certificates of a company, and short commit ids."""

from pathlib import Path

import pytest
from tests.cli.driving import Commands
from tests.library.https_host import TOKEN, certificate, https_host
from tests.library.repo import MARKETING, Repo


@pytest.fixture
def tw(tmp_path: Path) -> Commands:
    commands = Commands(tmp_path / "user", tmp_path / "project")
    commands.home.mkdir()
    commands.project.mkdir()
    return commands


@pytest.mark.requirement("003:Flow.storage", "003:GITHUB_ERROR")
def test_a_private_host_is_read_with_a_token_and_its_own_certificate(
    tw: Commands, tmp_path: Path
) -> None:
    Repo(tmp_path / "repo")
    pem = certificate(tmp_path)
    with https_host(tmp_path, pem) as host:
        address = f"{host}/repo/.git"
        unknown = tw("library", "add", "team", address)
        assert (unknown.code, "[GITHUB_ERROR]" in unknown.err) == (1, True)
        assert "certificate" in unknown.err
        trusted = {"GIT_SSL_CAINFO": str(pem)}
        refused = tw("library", "add", "team", address, **trusted)
        assert (refused.code, "secrets set git:HOST" in refused.err) == (1, True)
        secret = f"git:{host.removeprefix('https://')}"
        assert tw("secrets", "set", secret, input=f"{TOKEN}\n").code == 0
        added = tw.ok("library", "add", "team", address, "--json", **trusted)
        assert added.json["flows"] == 1
        assert TOKEN not in added.out + added.err


@pytest.mark.requirement("003:Flow.storage")
def test_a_short_commit_id_is_a_ref(tw: Commands, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    first = repo.git("rev-parse", "HEAD")
    changed = {**MARKETING, "metadata": {**MARKETING["metadata"], "description": "changed"}}
    repo.commit({"flows/Marketing_Strategy.json": changed})
    tw.ok("library", "add", "team", str(repo.folder))
    described = {
        ref: tw.ok("library", "show", "team", "Marketing_Strategy", "--ref", ref, "--json").json[
            "metadata"
        ]["description"]
        for ref in ("main", first, first[:9])
    }
    assert described["main"] == "changed"
    assert described[first] == described[first[:9]] == "The flow Marketing_Strategy"
    missing = tw("library", "show", "team", "--ref", "0123456")
    assert (missing.code, "[LIBRARY_REF_NOT_FOUND]" in missing.err) == (1, True)
