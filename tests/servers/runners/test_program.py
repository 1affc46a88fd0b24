"""Where a program's own files lie."""

import os
from pathlib import Path

from toolweave.servers.runners.program import required_directories


def _found(program: Path, home: Path, path: str = "") -> list[str]:
    def is_too_wide(directory: str) -> bool:
        return home.is_relative_to(directory)

    env = {"HOME": str(home), "PATH": path}
    found = required_directories(str(program), env, is_too_wide=is_too_wide)
    return [os.path.relpath(directory, home) for directory in found]


def _write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="ascii")
    path.chmod(0o755)
    return path


def _link(path: Path, target: str | Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def test_a_tool_of_a_virtual_environment_needs_that_and_its_python(tmp_path: Path) -> None:
    python = _write(tmp_path / ".pyenv/versions/3.11/bin/python3.11")
    own = _link(tmp_path / ".local/share/uv/tools/t/bin/python", python)
    script = _write(tmp_path / ".local/share/uv/tools/t/bin/t", f"#!{own}\n")
    program = _link(tmp_path / ".local/bin/t", script)
    assert _found(program, tmp_path) == [
        ".local/bin",
        ".local/share/uv/tools/t",
        ".pyenv/versions/3.11",
    ]


def test_an_interpreter_named_by_env_is_looked_for_on_path(tmp_path: Path) -> None:
    prefix = tmp_path / ".nvm/versions/node/v22"
    _write(prefix / "bin/node")
    _write(prefix / "lib/node_modules/npm/bin/npx-cli.js", "#!/usr/bin/env -S A=1 node\n")
    program = _link(prefix / "bin/npx", "../lib/node_modules/npm/bin/npx-cli.js")
    assert _found(program, tmp_path, str(prefix / "bin")) == [
        ".nvm/versions/node/v22",
        ".nvm/versions/node/v22/lib/node_modules/npm",
    ]


def test_a_shim_needs_the_whole_version_switch(tmp_path: Path) -> None:
    shim = _write(tmp_path / ".pyenv/shims/uvx", "#!/usr/bin/env bash\n")
    assert _found(shim, tmp_path) == [".pyenv"]


def test_a_program_beside_other_files_needs_only_itself(tmp_path: Path) -> None:
    assert _found(_write(tmp_path / "Downloads/server"), tmp_path) == ["Downloads/server"]


def test_a_prefix_with_private_files_is_not_let_in_whole(tmp_path: Path) -> None:
    assert _found(_write(tmp_path / ".cargo/bin/server"), tmp_path) == [".cargo/bin"]
    assert _found(_write(tmp_path / "bin/server"), tmp_path) == ["bin"]


def test_a_directory_reached_by_a_link_is_known_by_both_names(tmp_path: Path) -> None:
    _write(tmp_path / "python-3.12.4/bin/python")
    _link(tmp_path / "python-3.12", "python-3.12.4")
    program = tmp_path / "python-3.12/bin/python"
    assert _found(program, tmp_path) == ["python-3.12", "python-3.12.4"]


def test_an_interpreter_that_names_itself_ends_the_search(tmp_path: Path) -> None:
    program = tmp_path / "tools/server"
    _write(program, f"#!{program}\n")
    assert _found(program, tmp_path) == ["tools/server"]


def test_an_empty_first_line_names_no_interpreter(tmp_path: Path) -> None:
    assert _found(_write(tmp_path / "a/server", "#!\n"), tmp_path) == ["a/server"]
    assert _found(_write(tmp_path / "b/server", "#!/usr/bin/env\n"), tmp_path) == ["b/server"]


def test_a_program_that_vanished_is_let_in_by_its_name(tmp_path: Path) -> None:
    assert _found(tmp_path / "tools/gone", tmp_path) == ["tools/gone"]
