"""`toolweave completion`: what a real shell offers after the Tab key."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.driving import Commands

from toolweave.testing.server import ScriptedServer, a_tool

OFFERED = {
    "bash": (
        'source /dev/stdin <<<"$SCRIPT"; COMP_WORDS=(toolweave {words}); '
        "COMP_CWORD={at}; _toolweave_completion toolweave; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    ),
    "fish": 'echo "$SCRIPT" | source; complete -C "toolweave {typed}"',
}


def offered(tw: Commands, shell: str, *words: str) -> list[str]:
    """What the shell offers for the last of these words."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    script = tw.ok("completion", shell).out
    template = OFFERED[shell]
    quoted = " ".join((*words[:-1], f"'{words[-1]}'"))
    text = template.format(words=quoted, at=len(words), typed=" ".join(words))
    environ = tw.environ | {"SCRIPT": script, "PATH": f"{_bin(tw)}:{tw.environ['PATH']}"}
    ran = subprocess.run(
        [path, "-c", text], env=environ, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    return [line.split("\t")[0] for line in ran.stdout.splitlines()]


def _bin(tw: Commands) -> Path:
    """A folder with the command `toolweave`."""
    folder = tw.home / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "toolweave"
    program.write_text(
        f'#!/bin/sh\nexec {sys.executable} -m toolweave.cli.main "$@"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_tab_completes_commands_options_and_names(tw: Commands, tmp_path: Path, shell: str) -> None:
    tw.add("weather-station", ScriptedServer(tmp_path / "server", a_tool("read")))
    assert offered(tw, shell, "va") == ["validate"]
    assert "servers" in offered(tw, shell, "")
    assert set(offered(tw, shell, "servers", "app")) == {"approve", "approvals"}
    assert "--json" in offered(tw, shell, "runs", "list", "--")
    assert offered(tw, shell, "call", "wea") == ["weather-station"]


def test_tab_completes_the_names_of_stored_workflows(tw: Commands) -> None:
    tw.ok("demo")
    assert "what-to-wear" in offered(tw, "bash", "run", "what")


def test_the_script_of_each_shell_can_be_printed(tw: Commands) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_TOOLWEAVE_COMPLETE" in tw.ok("completion", shell).out
    assert tw("completion", "powershell").code == 2
