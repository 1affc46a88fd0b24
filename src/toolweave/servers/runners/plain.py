"""Start a server as an ordinary process of the user, without a sandbox or our environment.

The other runners build on it, so that commands are found and rejected in one way.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from toolweave.errors import Invalid, Unavailable
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.servers.definition import CommandServer, Definition, RunnerName
from toolweave.servers.runners.runner import Launch

# What a program needs to run, without secrets. The first six are the MCP SDK's own list;
# the rest is language, time zone, temporary directory and trusted certificates. Proxy
# addresses may contain a password: a definition that needs one lists it in `env`.
INHERITED_POSIX = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"),
    *("LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
)
INHERITED_WINDOWS = (
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT"),
    *("PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
)

# Variables of the loader and the C library. A program that only passes a server's environment
# to its sandbox must not have them itself: `LD_PRELOAD` would run code outside the sandbox.
OBEYED_BY_LOADER = pattern(
    r"(LD|DYLD|GLIBC|MALLOC)_.*|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|NLSPATH"
    r"|RES_OPTIONS|RESOLV_.*"
)

HINTS = {
    "npx": "install Node.js, which includes `npx`",
    "npm": "install Node.js, which includes `npm`",
    "node": "install Node.js",
    "uvx": "install uv, which includes `uvx`",
    "uv": "install uv",
    "bunx": "install Bun, which includes `bunx`",
    "bun": "install Bun",
    "deno": "install Deno",
    "docker": "install Docker, or use an image instead of a command",
    "python": "install Python, or use `python3`",
    "python3": "install Python 3",
    "pipx": "install pipx",
}


class PlainRunner:
    """A process with a minimal environment plus the definition's."""

    name: RunnerName = "plain"

    def __init__(self, environ: Mapping[str, str], *, is_windows: bool = os.name == "nt") -> None:
        self.environ = environ
        self._inherited = INHERITED_WINDOWS if is_windows else INHERITED_POSIX

    def missing(self) -> str | None:
        """Return `None`: every machine can start a process."""
        return None

    def launch(self, definition: Definition, *, server_name: str, env: dict[str, str]) -> Launch:
        """Return the command as written."""
        command = as_command(definition, self.name)
        full = self.environment(env)
        cwd = working_directory(command, server_name, full)
        locate(command.command, server_name, full, cwd)
        return Launch(argv=(command.command, *command.args), env=full, cwd=cwd)

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return the environment: the safe part of ours, then the definition's."""
        check_environment(env)
        # A shell function exported through the environment is code.
        kept = {
            name: value
            for name in self._inherited
            if (value := self.environ.get(name)) is not None and not value.startswith("()")
        }
        return kept | dict(env)


def as_command(definition: Definition, runner: RunnerName) -> CommandServer:
    """Return `definition` if it is a command line. Raises `Invalid`: `SERVER_RUNNER_MISMATCH`."""
    if not isinstance(definition, CommandServer):
        raise Invalid(
            "SERVER_RUNNER_MISMATCH",
            f"runner {runner!r} starts a command; the definition is of kind {definition.kind!r}",
        )
    return definition


def check_environment(env: Mapping[str, str]) -> None:
    """Reject variables that no operating system accepts."""
    wrong = [
        name for name, value in env.items() if not name or {"=", "\0"} & {*name} or "\0" in value
    ]
    if wrong:
        raise Invalid(
            "SERVER_ENVIRONMENT_INVALID",
            f"{len(wrong)} environment variable(s) are invalid",
            problems=[
                Problem(
                    "SERVER_ENVIRONMENT_INVALID",
                    pointer("env", name),
                    f"variable {name!r} has an invalid name or value; expected a "
                    "name without '=' and no null byte in either",
                )
                for name in wrong
            ],
        )


def working_directory(
    command: CommandServer, server_name: str, env: Mapping[str, str]
) -> str | None:
    """Return the working directory with `~` expanded. Raises `SERVER_DIRECTORY_MISSING`."""
    if command.cwd is None:
        return None
    directory = expand_home(command.cwd, env)
    if not os.path.isdir(directory):
        raise Unavailable(
            "SERVER_DIRECTORY_MISSING",
            f"server {server_name!r} starts in {directory!r}, which is not a directory here",
            hint="create the directory or change `cwd`",
            facts={"cwd": directory},
        )
    return directory


def expand_home(path: str, env: Mapping[str, str]) -> str:
    """Replace a leading `~` in `path` with the home directory of `env`."""
    home = env.get("HOME") or env.get("USERPROFILE")
    return home + path[1:] if home and (path == "~" or path.startswith("~/")) else path


def locate(command: str, server_name: str, env: Mapping[str, str], cwd: str | None) -> str:
    """Return the path of the program, as the started process will find it."""
    if os.path.dirname(command):
        found = shutil.which(os.path.join(cwd or "", command))
    else:
        found = shutil.which(command, path=env.get("PATH", os.defpath))
    if found is None:
        where = "is not an executable program" if os.path.dirname(command) else "is not on PATH"
        raise Unavailable(
            "SERVER_COMMAND_NOT_FOUND",
            f"command {command!r} of server {server_name!r} {where}",
            hint=HINTS.get(Path(command).stem) or "install it, or use its full path",
            facts={"command": command, "path": env.get("PATH", os.defpath)},
        )
    return os.path.abspath(found)


runner = PlainRunner(os.environ)
