"""Addresses, refs and names: plain forms are taken, whatever could act on git is refused."""

from pathlib import Path

import pytest

from toolweave.errors import Invalid
from toolweave.library.remote import read_name, read_ref, read_remote

GOOD = {
    "https://github.com/acme/flows.git": "https",
    "https://user@example.com:8443/a/b": "https",
    "ssh://git@example.com/a.git": "ssh",
    "git@github.com:acme/flows.git": "ssh",
}
BAD = (
    "",
    "--upload-pack=touch /tmp/x",
    "-u",
    "ext::sh -c touch% /tmp/x",
    "http://example.com/a",
    "git://example.com/a",
    "ftp://example.com/a",
    "https://user:secret@example.com/a",
    "https://-oProxyCommand=x/a",
    "ssh://-oProxyCommand=x/a",
    "https://example.com:port/a",
    "host:-oProxy",
    "https://exa mple.com/a",
    "nowhere/at/all",
    "0" * 1_000,
    "~nobody-at-all/x",
    "file://[bad/x",
    "a\nb",
    "x" * 3_000,
)


@pytest.mark.parametrize("address", GOOD)
def test_usual_addresses_are_taken_as_they_are(address: str, tmp_path: Path) -> None:
    remote = read_remote(address, tmp_path)
    assert (remote.url, remote.protocol) == (address, GOOD[address])


@pytest.mark.parametrize("address", BAD)
def test_addresses_that_could_act_are_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(Invalid) as refused:
        read_remote(address, tmp_path)
    assert refused.value.code == "LIBRARY_ADDRESS_INVALID"
    assert "secret" not in refused.value.message


@pytest.mark.parametrize("spelt", ["repo", "./repo", "file://{}/repo"])
def test_a_folder_counts_from_where_the_user_stands(spelt: str, tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    remote = read_remote(spelt.format(tmp_path), tmp_path)
    assert (remote.url, remote.protocol) == (str((tmp_path / "repo").resolve()), "file")


@pytest.mark.parametrize("ref", ["main", "feature/x-1", "v1.2.3", "a" * 40, "user@fix"])
def test_branches_tags_and_commits_are_refs(ref: str) -> None:
    assert read_ref(ref) == ref


@pytest.mark.parametrize(
    "ref", ["", "-x", "a..b", "a b", "a~1", "a:b", "x.lock", "/a", "a//b", "a@{1}", "é", "x" * 300]
)
def test_other_texts_are_no_refs(ref: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_ref(ref)
    assert refused.value.code == "LIBRARY_REF_INVALID"


@pytest.mark.parametrize("name", ["", "..", "a/b", "-a", "a b", "x" * 65, "ä"])
def test_a_library_is_called_by_a_plain_word(name: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_name(name)
    assert refused.value.code == "LIBRARY_NAME_INVALID"
    assert read_name("Team_1-x") == "Team_1-x"
