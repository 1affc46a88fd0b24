"""`toolweave service`: the file by which the system starts the studio."""

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cli.driving import Commands

UNIT = Path(".config/systemd/user/toolweave.service")
AGENT = Path("Library/LaunchAgents/dev.toolweave.studio.plist")


def unit_of(tw: Commands) -> Path:
    return tw.home / UNIT


def test_the_unit_is_shown_and_only_written_after_a_yes(tw: Commands) -> None:
    shown = tw.ok("service", "install", "--print", "--for", "systemd").out
    assert f'Environment="TOOLWEAVE_HOME={tw.state}"' in shown
    assert "serve --no-browser" in shown
    assert not unit_of(tw).exists()
    # Without a terminal nobody can say yes.
    assert tw("service", "install", "--for", "systemd").code == 2
    assert not unit_of(tw).exists()
    ran = tw.ok("service", "install", "--for", "systemd", "--yes")
    assert unit_of(tw).read_text(encoding="utf-8") == shown
    assert "systemctl --user enable --now toolweave" in ran.out
    assert tw.ok("service", "remove", "--for", "systemd", "--yes").code == 0
    assert not unit_of(tw).exists()
    assert tw("service", "remove", "--for", "systemd", "--yes").code == 1


def test_systemd_accepts_the_unit(tw: Commands, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    odd = tmp_path / 'a "home" of 100% $USER'
    given = ("--for", "systemd", "--port", "9000", "--host", "0.0.0.0")
    shown = tw.ok("service", "install", "--print", *given, TOOLWEAVE_HOME=str(odd)).out
    assert "--port 9000" in shown
    unit = tmp_path / "toolweave.service"
    wrong = shown.replace("ExecStart=", "ExecStart=nowhere/")
    for text, is_right in ((shown, True), (wrong, False)):
        unit.write_text(text, encoding="utf-8")
        command = [analyze, "--user", "verify", str(unit)]
        environ = tw.environ | {"XDG_RUNTIME_DIR": str(tmp_path)}
        ran = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
        faults = [line for line in ran.stderr.splitlines() if "toolweave.service" in line]
        assert (faults == []) == is_right, ran.stderr


def test_a_line_break_in_the_home_adds_no_line_to_the_unit(tw: Commands, tmp_path: Path) -> None:
    print_it = ("service", "install", "--print", "--for", "systemd")
    plain = tw.ok(*print_it, TOOLWEAVE_HOME=str(tmp_path / "a")).out
    broken = tw.ok(*print_it, TOOLWEAVE_HOME=str(tmp_path / "a\nExecStartPre=evil")).out
    assert len(broken.splitlines()) == len(plain.splitlines())
    assert "\\nExecStartPre=evil" in broken


def test_launchd_gets_a_property_list(tw: Commands) -> None:
    tw.ok("service", "install", "--for", "launchd", "--yes")
    found = plistlib.loads((tw.home / AGENT).read_bytes())
    assert found["Label"] == "dev.toolweave.studio"
    assert found["ProgramArguments"][-2:] == ["serve", "--no-browser"]
    assert found["EnvironmentVariables"]["TOOLWEAVE_HOME"] == str(tw.state)
    assert found["RunAtLoad"] is True


def test_a_file_that_somebody_changed_is_not_replaced(tw: Commands) -> None:
    tw.ok("service", "install", "--for", "systemd", "--yes")
    unit_of(tw).write_text("[Service]\nExecStart=/bin/true\n", encoding="utf-8")
    ran = tw("service", "install", "--for", "systemd", "--yes", "--json")
    assert ran.code == 1
    assert ran.json["error"]["code"] == "FILE_EXISTS"
    tw.ok("service", "install", "--for", "systemd", "--yes", "--force")
    assert "serve" in unit_of(tw).read_text(encoding="utf-8")
