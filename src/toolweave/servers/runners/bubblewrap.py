"""Start a server in a sandbox with its own processes, `/tmp` and home, and a read-only system.

It sees the system's programs, the directories its command is installed in, its `cwd`, the files
in its arguments (all read-only) and its `writable_paths`; nothing else on disk, no
socket of the machine's services, and no network unless the definition allows it.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from toolweave.errors import Invalid, Unavailable
from toolweave.problems import Problem, pointer
from toolweave.servers.definition import CommandServer, Definition, RunnerName
from toolweave.servers.runners import plain
from toolweave.servers.runners.program import required_directories
from toolweave.servers.runners.runner import Launch

MIB = 1024 * 1024
NOBODY = 65534
TRIAL_DEADLINE_S = 10.0

# The system's own files. `/run` stays out: it holds the sockets of Docker, D-Bus and systemd,
# each of them a way to run code outside the sandbox.
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"),
    *("/nix/store", "/gnu/store", "/run/current-system", "/run/opengl-driver"),
    "/var/lib/ca-certificates",
)
NEVER_SHARED = ("/proc", "/sys", "/dev", "/run", "/boot")
TOO_WIDE = ("/", "/home", "/media", "/mnt", "/root", "/tmp", "/var", "/var/tmp")


class BubblewrapRunner:
    """A sandbox made with `bwrap`; limits by `prlimit`, so it needs no rights of its own.

    Memory is limited per process (`RLIMIT_DATA`: `RLIMIT_AS` would stop Node, which reserves
    12 GB it never uses). The number of processes is counted per user and user namespace, and
    never for root; so root builds the sandbox and the server runs as `nobody`, in a
    second sandbox that only adds the user namespace.
    """

    name: RunnerName = "bubblewrap"

    def __init__(
        self,
        inner: plain.PlainRunner,
        *,
        is_root: bool,
        memory_mb: int = 768,
        processes: int = 256,
        scratch_mb: int = 256,
    ) -> None:
        self._inner = inner
        self._is_root = is_root
        self._memory_mb = memory_mb
        self._processes = processes
        self._scratch_mb = scratch_mb

    def missing(self) -> str | None:
        """Return why no sandbox can be created here; tested once by creating one."""
        return self._refusal

    def launch(self, definition: Definition, *, server_name: str, env: dict[str, str]) -> Launch:
        """Return the command inside the sandbox."""
        command = plain.as_command(definition, self.name)
        bare = self._inner.launch(definition, server_name=server_name, env=env)
        for tool in self._tools:
            if self._which(tool) is None:
                raise Unavailable("RUNNER_MISSING", f"{tool!r} is not installed here")
        writable = self._writable(command, bare.env)
        program = plain.locate(command.command, server_name, bare.env, bare.cwd)
        inside = {
            n: v for n, v in bare.env.items() if n != "TMPDIR" or n in env
        }  # our directory is outside
        obeyed = [f"{n}={v}" for n, v in inside.items() if _is_obeyed(n)]
        argv = (
            *self._walls(network=command.network),
            *_let_in("--ro-bind", self._needed(command, program, bare)),
            *_let_in("--bind", writable),
            *("--remount-ro", "/"),
            *("--chdir", bare.cwd or (*self._homes, "/")[0]),
            *("--", *self._limits()),
            # Set last, because `LD_PRELOAD` could undo the limits. Everything else is passed in
            # the environment, so that no secret shows in `ps`.
            *((self._path("env"), *obeyed) if obeyed else ()),
            *(program, *command.args),
        )
        return Launch(argv=argv, env={n: v for n, v in inside.items() if not _is_obeyed(n)})

    @cached_property
    def _refusal(self) -> str | None:
        if sys.platform != "linux":
            return "bubblewrap works on Linux only; use a container image instead"
        for tool, package in self._tools.items():
            if self._which(tool) is None:
                return f"{tool!r} was not found; install the package {package!r}"
        argv = (*self._walls(network=False), "--", *self._limits(), self._path("true"))
        try:
            trial = subprocess.run(
                argv,
                env=self._inner.environment({}),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TRIAL_DEADLINE_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"'bwrap' cannot be started: {type(error).__name__}; reinstall bubblewrap"
        if trial.returncode == 0:
            return None
        said = trial.stderr.decode(errors="replace").strip()[-300:]
        return (
            f"'bwrap' cannot create a sandbox here ({said}); it needs version 0.8+ and user "
            "namespaces: set sysctl user.max_user_namespaces above 0 and, on Ubuntu, "
            "kernel.apparmor_restrict_unprivileged_userns to 0, or use a container image instead"
        )

    @property
    def _tools(self) -> dict[str, str]:
        tools = {"bwrap": "bubblewrap", "prlimit": "util-linux"}
        return tools | ({"setpriv": "util-linux"} if self._is_root else {})

    def _which(self, tool: str) -> str | None:
        return shutil.which(tool, path=self._inner.environ.get("PATH", os.defpath))

    def _path(self, tool: str) -> str:
        return self._which(tool) or tool

    @cached_property
    def _homes(self) -> tuple[str, ...]:
        """Return the home directory as written and, if it is a link, its target."""
        home = self._inner.environ.get("HOME") or "/"
        found = dict.fromkeys((os.path.normpath(home), os.path.realpath(home)))
        return () if "/" in found else tuple(found)

    def _walls(self, *, network: bool) -> tuple[str, ...]:
        """Return the common part: namespaces, an empty root and the system's files."""
        rights = (
            ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
            if self._is_root
            else ("--unshare-user", "--disable-userns")
        )
        scratch = ("/tmp", "/var/tmp", *self._homes)
        size = str(self._scratch_mb * MIB)
        return (
            *(self._path("bwrap"), "--die-with-parent", "--new-session"),
            *("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"),
            *(() if network else ("--unshare-net",)),
            *("--cap-drop", "ALL", *rights),
            *(part for path in SYSTEM for part in ("--ro-bind-try", path, path)),
            *(_resolver() if network else ()),
            *("--proc", "/proc", "--dev", "/dev"),
            *("--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),
            *(p for s in scratch for p in ("--perms", "1777", "--size", size, "--tmpfs", s)),
        )

    def _limits(self) -> tuple[str, ...]:
        unprivileged = (
            *(self._path("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
            *(self._path("bwrap"), "--die-with-parent", "--unshare-user", "--disable-userns"),
            *("--dev-bind", "/", "/", "--cap-drop", "ALL", "--"),
        )
        memory = self._memory_mb * MIB
        return (
            *(unprivileged if self._is_root else ()),
            *(self._path("prlimit"), f"--data={memory}:{memory}", "--core=0:0"),
            *((f"--nproc={self._processes}:{self._processes}",) if _counts_apart() else ()),
            "--",
        )

    def _needed(self, command: CommandServer, program: str, bare: Launch) -> list[str]:
        installed = required_directories(program, bare.env, is_too_wide=self._is_too_wide)
        named = (*installed, *((bare.cwd,) if bare.cwd else ()), *_named_in(command.args))
        paths = dict.fromkeys(os.path.abspath(path) for path in named)
        return [p for p in paths if not _is_within(p, SYSTEM) and not self._is_too_wide(p)]

    def _writable(self, command: CommandServer, env: dict[str, str]) -> list[str]:
        found: list[str] = []
        problems: list[Problem] = []
        for index, path in enumerate(command.writable_paths):
            expanded = plain.expand_home(path, env)
            fault = self._fault_of_writable(expanded)
            if fault is None:
                found.append(os.path.realpath(expanded))
            else:
                problems.append(
                    Problem(
                        "SERVER_WRITABLE_PATH_REFUSED",
                        pointer("writable_paths", index),
                        f"{path!r} {fault}",
                    )
                )
        if problems:
            raise Invalid(
                "SERVER_WRITABLE_PATH_REFUSED",
                f"{len(problems)} of the writable paths cannot be allowed",
                problems=problems,
            )
        return found

    def _fault_of_writable(self, path: str) -> str | None:
        real = os.path.realpath(path)
        if not os.path.isabs(path):
            return "is relative; give the full path"
        if not _is_file_or_directory(real):
            return "does not exist; create it first"
        if self._is_too_wide(real) or _is_within(real, SYSTEM):
            return "would expose too much; use a directory only for this server"
        if self._is_root and not _is_writable_by_nobody(real):
            return (
                f"is not writable for uid {NOBODY}, which the server runs as because Toolweave "
                f"runs as root; `chown {NOBODY}` it, or run Toolweave as an ordinary user"
            )
        return None

    def _is_too_wide(self, path: str) -> bool:
        real = os.path.realpath(path)
        return (
            real in TOO_WIDE
            or _is_within(real, NEVER_SHARED)
            or any(_is_within(home, (real,)) for home in self._homes)
        )


def _is_obeyed(name: str) -> bool:
    return plain.OBEYED_BY_LOADER.fullmatch(name) is not None


def _is_within(path: str, roots: tuple[str, ...]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)


def _let_in(option: str, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        # By default `bwrap` creates parent directories for their owner only.
        for parent in reversed(Path(path).parents[:-1]):
            yield from ("--dir", str(parent))
        yield from (option, path, path)


def _named_in(args: tuple[str, ...]) -> Iterator[str]:
    """Return the paths in the command line, alone or as `--option=PATH`."""
    for arg in args:
        path = arg.partition("=")[2] if arg.startswith("-") else arg
        if os.path.isabs(path) and _is_file_or_directory(path):
            yield path


def _is_file_or_directory(path: str) -> bool:
    return os.path.isfile(path) or os.path.isdir(path)


def _is_writable_by_nobody(path: str) -> bool:
    facts = os.stat(path)
    return bool(facts.st_mode & (0o200 if facts.st_uid == NOBODY else 0o002))


def _resolver() -> tuple[str, ...]:
    """Return the target of `/etc/resolv.conf`, often under `/run`."""
    real = os.path.realpath("/etc/resolv.conf")
    return () if _is_within(real, SYSTEM) else ("--ro-bind-try", real, real)


def _counts_apart() -> bool:
    """Whether processes are counted per user namespace (Linux 5.14), not per user."""
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    return version is not None and (int(version[1]), int(version[2])) >= (5, 14)


runner = BubblewrapRunner(plain.runner, is_root=hasattr(os, "geteuid") and os.geteuid() == 0)
