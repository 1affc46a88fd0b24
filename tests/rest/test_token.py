"""The token of programs on this machine."""

from pathlib import Path

import pytest

from toolweave.serve.http import SERVICE_TOKEN, service_token


def test_it_is_made_once_and_private(tmp_path: Path) -> None:
    token = service_token(tmp_path)
    assert token is not None
    assert len(token) == 43
    assert service_token(tmp_path) == token
    assert (tmp_path / SERVICE_TOKEN).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "damaged", [b"", b"\n", b"short", b"\xff" * 43, b"x" * 44, b"a" * 42 + b" "]
)
def test_a_damaged_one_is_replaced_so_that_no_empty_token_lets_anyone_in(
    tmp_path: Path, damaged: bytes
) -> None:
    path = tmp_path / SERVICE_TOKEN
    path.write_bytes(damaged)
    path.chmod(0o600)
    token = service_token(tmp_path)
    assert token is not None
    assert len(token) == 43
    assert path.read_text(encoding="ascii").strip() == token


def test_one_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    token = service_token(tmp_path)
    (tmp_path / SERVICE_TOKEN).chmod(0o644)
    assert service_token(tmp_path) != token
    assert (tmp_path / SERVICE_TOKEN).stat().st_mode & 0o777 == 0o600


def test_where_none_can_be_kept_private_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_a_disk_without_modes(path: Path, text: str) -> None:
        path.write_text(text, encoding="ascii")
        path.chmod(0o777)

    monkeypatch.setattr("toolweave.serve.http.write_private", on_a_disk_without_modes)
    assert service_token(tmp_path) is None
    assert not (tmp_path / SERVICE_TOKEN).exists()
