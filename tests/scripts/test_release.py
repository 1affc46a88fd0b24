"""The changelog comes from files; the packages are complete, and install with two Pythons."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import toolweave
from scripts import build_metadata, changelog

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HOMEPAGE = "https://code.example/toolweave"
OWN = f"{sys.version_info.major}.{sys.version_info.minor}"


def _pythons() -> dict[str, str]:
    """The Pythons of this machine that the package supports: on `PATH`, or of pyenv."""
    found = {OWN: sys.executable}
    for version in ("3.11", "3.12", "3.13", "3.14", "3.15"):
        kept = Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")
        on_path = shutil.which(f"python{version}")
        for program in [*map(str, kept), *([on_path] if on_path else [])]:
            if subprocess.run([program, "-V"], capture_output=True, check=False).returncode == 0:
                found.setdefault(version, program)
    newest = max(found, key=lambda version: int(version.partition(".")[2]))
    return {version: found[version] for version in {OWN, newest}}


def _uv(*arguments: str, cwd: Path = ROOT, **environ: str) -> str:
    done = subprocess.run(
        [str(ROOT / "scripts" / "uv"), *arguments],
        cwd=cwd,
        env={**_environ(), "TOOLWEAVE_WEB": "skip", **environ},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    if done.returncode != 0 and (
        "offline" in done.stderr or "error sending request" in done.stderr
    ):
        pytest.skip(f"packages cannot be had: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def _environ() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    _uv("build", "--quiet", "--offline", "--out-dir", str(folder), TOOLWEAVE_HOMEPAGE=HOMEPAGE)
    return folder


def test_packages_pass_the_strict_check_of_an_index(packages: Path) -> None:
    files = [str(path) for path in packages.iterdir() if path.suffix in {".whl", ".gz"}]
    assert len(files) == 2
    printed = _uv("run", "--no-sync", "--quiet", "twine", "check", "--strict", *files)
    assert printed.count("PASSED") == 2


def test_an_index_shows_links_and_a_readme_that_needs_no_repository(packages: Path) -> None:
    [wheel] = packages.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        facts = archive.read(name).decode()
    head, _, text = facts.partition("\n\n")
    assert f"Project-URL: Changelog, {HOMEPAGE}/blob/main/CHANGELOG.md" in head
    assert f"({HOMEPAGE}/raw/main/docs/studio.png)" in text
    assert f"({HOMEPAGE}/blob/main/docs/index.md)" in text
    assert re.findall(r"\]\((?!https://)[^)]*\)", text) == []
    source = (ROOT / "README.md").read_text(encoding="utf-8")
    assert build_metadata.readme(source, "") == source


def test_packages_contain_what_users_need_and_nothing_else(packages: Path) -> None:
    [wheel], [source] = packages.glob("*.whl"), packages.glob("*.tar.gz")
    in_wheel = zipfile.ZipFile(wheel).namelist()
    assert "toolweave/py.typed" in in_wheel
    assert not [name for name in in_wheel if name.startswith(("tests/", "bench/"))]
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "scripts/build_web.py"} <= names
    assert not [name for name in names if "node_modules" in name or name.startswith("tests/")]


def test_the_image_copies_all_that_the_package_is_built_from(tmp_path: Path) -> None:
    sent = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    stage = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8").split("\nFROM ")[1]
    for line in stage.splitlines():
        if line.startswith("COPY "):
            *sources, target = line.split()[1:]
            for source in sources:
                assert f"!{source}" in sent
                place = tmp_path / target / ("" if (ROOT / source).is_dir() else Path(source).name)
                place.parent.mkdir(parents=True, exist_ok=True)
                if (ROOT / source).is_dir():
                    unneeded = shutil.ignore_patterns("node_modules", "static", "__pycache__")
                    shutil.copytree(ROOT / source, place, ignore=unneeded)
                else:
                    shutil.copy(ROOT / source, place)
    _uv(
        "build",
        "--quiet",
        "--offline",
        "--wheel",
        "--out-dir",
        str(tmp_path / "dist"),
        cwd=tmp_path,
    )
    assert len([*(tmp_path / "dist").glob("toolweave-*.whl")]) == 1


@pytest.mark.parametrize("version", sorted(_pythons()))
def test_the_wheel_installs_and_runs(packages: Path, tmp_path: Path, version: str) -> None:
    [wheel] = packages.glob("*.whl")
    program = tmp_path / "venv" / "bin" / "python"
    newest = ("--exclude-newer", PROJECT["tool"]["uv"]["exclude-newer"])
    _uv("venv", "--quiet", "--python", _pythons()[version], str(tmp_path / "venv"))
    _uv("pip", "install", "--quiet", *newest, "--python", str(program), str(wheel))
    ran = subprocess.run(
        [str(program.with_name("toolweave")), "demo"],
        cwd=tmp_path,
        env={**_environ(), "TOOLWEAVE_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Take a coat to London." in ran.stdout


def test_a_version_is_said_once() -> None:
    assert PROJECT["project"]["version"] == toolweave.__version__


def test_every_change_has_a_kind_and_a_text() -> None:
    assert changelog.problems(ROOT / "changes") == []


def test_changes_move_into_the_changelog(tmp_path: Path) -> None:
    folder = tmp_path / "changes"
    folder.mkdir()
    (folder / "b.fixed.md").write_text("A fault is\ngone.\n", encoding="utf-8")
    (folder / "a.added.md").write_text("Something new.\n", encoding="utf-8")
    log = tmp_path / "CHANGELOG.md"
    log.write_text(f"# Changelog\n\n{changelog.MARK}\n## 0.1.0\n\nOld.\n", encoding="utf-8")
    changelog.write(tmp_path, "0.2.0", "1 May 2027")
    text = log.read_text(encoding="utf-8")
    added, fixed = "### Added\n\n- Something new.\n", "### Fixed\n\n- A fault is gone.\n"
    new = f"## 0.2.0 (1 May 2027)\n\n{added}\n{fixed}"
    assert text == f"# Changelog\n\n{changelog.MARK}\n{new}\n## 0.1.0\n\nOld.\n"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["words.md", "words.improved.md", "words.added.txt"])
def test_a_change_of_no_known_kind_is_a_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / "good.added.md").write_text("Text.\n", encoding="utf-8")
    assert changelog.problems(tmp_path) == []
    (tmp_path / name).write_text("Text.\n", encoding="utf-8")
    assert len(changelog.problems(tmp_path)) == 1


def test_a_release_refuses_a_wrong_version_and_a_changed_tree(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    (clone / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "release", clone / "scripts" / "release")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", "."], cwd=clone, check=True)
    for version, reason in [("0.3", "three numbers"), ("0.3.0", "the working tree has changes")]:
        argv = ["./scripts/release", version, HOMEPAGE]
        done = subprocess.run(argv, cwd=clone, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert reason in done.stderr
