"""`toolweave update-check`: the newest release, by the installer that is set up here."""

import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from tests.cli.driving import Commands

import toolweave

NEXT = "9.1.0"


def _index(folder: Path, version: str) -> dict[str, str]:
    """A package index that is a folder with one release, for uv and for pip."""
    folder.mkdir()
    name = f"toolweave-{version}"
    with zipfile.ZipFile(folder / f"{name}-py3-none-any.whl", "w") as wheel:
        facts = f"Metadata-Version: 2.1\nName: toolweave\nVersion: {version}\n"
        wheel.writestr(f"{name}.dist-info/METADATA", facts)
        tags = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{name}.dist-info/WHEEL", tags)
        wheel.writestr(f"{name}.dist-info/RECORD", "")
    return {
        **_uv_index(folder),
        "PIP_FIND_LINKS": str(folder),
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": "/dev/null",
    }


def _uv_index(folder: Path) -> dict[str, str]:
    config = folder.with_suffix(".toml")
    config.write_text(f'no-index = true\nfind-links = ["{folder}"]\n', encoding="utf-8")
    return {"UV_CONFIG_FILE": str(config)}


def _programs(tw: Commands, *names: str) -> str:
    """A PATH with these programs only."""
    folder = tw.home / "programs"
    folder.mkdir()
    own = Path(sys.executable).parents[2] / ".cache" / "uv" / "bin"
    for name in names:
        if name == "pip":  # of the Python below this environment, which has none itself
            base = Path(sys.base_prefix) / "bin" / "python3"
            (folder / name).write_text(f'#!/bin/sh\nexec "{base}" -m pip "$@"\n', encoding="utf-8")
            (folder / name).chmod(0o755)
        else:
            path = shutil.which(name) or shutil.which(name, path=str(own))
            assert path is not None, f"{name} is needed for this test"
            (folder / name).symlink_to(path)
    return str(folder)


@pytest.mark.parametrize("program", ["uv", "pip"])
def test_a_newer_release_is_named_with_the_command_that_installs_it(
    tw: Commands, program: str
) -> None:
    environ = {"PATH": _programs(tw, program), **_index(tw.home / "index", NEXT)}
    ran = tw.run("update-check", **environ)
    assert ran.code == 0, ran
    assert f"{toolweave.__version__} is installed, {NEXT} is available" in ran.out
    assert "uv tool upgrade toolweave" in ran.out
    assert tw.run("update-check", "--json", **environ).json == {
        "installed": toolweave.__version__,
        "latest": NEXT,
        "isLatest": False,
    }


def test_the_newest_release_needs_no_update(tw: Commands) -> None:
    environ = {"PATH": _programs(tw, "uv"), **_index(tw.home / "index", toolweave.__version__)}
    assert "is the newest release" in tw.run("update-check", **environ).out


def test_without_an_installer_or_an_answer_the_check_fails_and_names_the_reason(
    tw: Commands,
) -> None:
    ran = tw.run("update-check", "--json", PATH=str(tw.project))
    assert (ran.code, ran.json["error"]["code"]) == (1, "UPDATE_CHECK_FAILED")
    assert "uv" in ran.json["error"]["hint"]
    (tw.home / "empty").mkdir()
    nothing = _uv_index(tw.home / "empty")
    ran = tw.run("update-check", "--json", PATH=_programs(tw, "uv"), **nothing)
    assert (ran.code, ran.json["error"]["code"]) == (1, "UPDATE_CHECK_FAILED")
