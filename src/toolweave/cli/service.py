"""`toolweave service`: lets the system start the studio when the user logs in."""

import plistlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import click

from toolweave.app.client_config import own_program
from toolweave.cli.prompts import confirm
from toolweave.cli.session import run
from toolweave.cli.terminal import json_option, say, tell
from toolweave.errors import Conflict, NotFound
from toolweave.settings import from_environment
from toolweave.storage.files import replace_private

System: TypeAlias = Literal["systemd", "launchd"]
LABEL = "dev.toolweave.studio"
_UNIT = """\
[Unit]
Description=Toolweave studio
After=network.target

[Service]
Environment={home}
ExecStart={command}
Restart=on-failure
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy=default.target
"""

_system = click.option(
    "--for",
    "system",
    type=click.Choice(["systemd", "launchd"]),
    default="launchd" if sys.platform == "darwin" else "systemd",
    show_default=True,
    help="Which system starts it.",
)
_yes = click.option("--yes", is_flag=True, help="Do not ask; for scripts.")


@dataclass(frozen=True, slots=True)
class ServiceFile:
    """The file that a system reads, and the command that makes it do so."""

    path: Path
    text: str
    start: str
    stop: str


@click.group()
def service() -> None:
    """Start the studio with the system, as this user."""


@service.command()
@_system
@click.option("--host", help="Serve at this address.")
@click.option("--port", type=click.IntRange(1, 65_535), help="Serve at this port.")
@click.option("--print", "is_printed", is_flag=True, help="Print the file and write nothing.")
@click.option("--force", is_flag=True, help="Replace a file that was changed.")
@_yes
@json_option
def install(
    system: System,
    host: str | None,
    port: int | None,
    is_printed: bool,
    force: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Write the file by which the system starts `toolweave serve`, after showing it."""
    given = {"--host": host, "--port": port}
    options = [part for name, value in given.items() if value for part in (name, str(value))]
    file = service_file(system, options)
    if is_printed:
        click.echo(file.text, nl=False)
        return 0
    if not force and file.path.exists() and file.path.read_text(encoding="utf-8") != file.text:
        message = f"{str(file.path)!r} exists and is different"
        raise Conflict("FILE_EXISTS", message, hint="replace it with --force, or remove it")
    if not yes:
        click.echo(f"{file.path}\n\n{file.text}", err=True)
        if not run(lambda: confirm("Write this file?")):
            return 1
    replace_private(file.path, file.text)
    tell(as_json, {"path": str(file.path), "start": file.start}, f"Wrote {file.path}.")
    if not as_json:
        say(f"Start it with `{file.start}`.")
    return 0


@service.command()
@_system
@_yes
@json_option
def remove(system: System, yes: bool, as_json: bool) -> int:
    """Delete the file again; a studio that runs is not stopped."""
    file = service_file(system, [])
    if not file.path.exists():
        raise NotFound("FILE_NOT_FOUND", f"there is no {str(file.path)!r}")
    if not yes and not run(lambda: confirm(f"Delete {file.path}?")):
        return 1
    file.path.unlink()
    tell(as_json, {"path": str(file.path)}, f"Deleted {file.path}.")
    if not as_json:
        say(f"If the studio still runs, stop it with `{file.stop}`.")
    return 0


def service_file(system: System, options: list[str]) -> ServiceFile:
    """Return the file for a system; `options` are those of `toolweave serve`."""
    command = [*own_program(), "serve", "--no-browser", *options]
    home = str(from_environment().home)
    if system == "launchd":
        path = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        entry = {
            "Label": LABEL,
            "ProgramArguments": command,
            "EnvironmentVariables": {"TOOLWEAVE_HOME": home},
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
        }
        text = plistlib.dumps(entry).decode()
        return ServiceFile(path, text, f"launchctl load {path}", f"launchctl unload {path}")
    unit = _UNIT.format(
        home=_quoted(f"TOOLWEAVE_HOME={home}", is_command=False),
        command=" ".join(_quoted(part, is_command=True) for part in command),
    )
    path = Path.home() / ".config" / "systemd" / "user" / "toolweave.service"
    control = "systemctl --user"
    return ServiceFile(
        path, unit, f"{control} enable --now toolweave", f"{control} disable --now toolweave"
    )


def _quoted(text: str, *, is_command: bool) -> str:
    """A word as systemd reads it back; a line break in it must not begin a line of the file."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    escaped = escaped.replace("\n", "\\n").replace("\r", "\\r")
    if is_command:
        escaped = escaped.replace("$", "$$")
    is_plain = is_command and not set(text) & set(" \t\r\n\"'\\;")
    return escaped if is_plain else f'"{escaped}"'
