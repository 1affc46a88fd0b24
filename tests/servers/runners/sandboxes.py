"""The sandboxes under test behind one shape, so that each escape is tried on all of them."""

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from tests.servers.runners.dockerd import docker
from tests.servers.runners.eventually import DEADLINE_S

from toolweave.servers.definition import CommandServer, ContainerServer
from toolweave.servers.runners.bubblewrap import BubblewrapRunner
from toolweave.servers.runners.docker import DockerRunner
from toolweave.servers.runners.plain import PlainRunner
from toolweave.servers.runners.runner import Launch

UNPRIVILEGED = 12345  # a user without a name, as nothing here depends on one
PROCESSES = 40


@dataclass(frozen=True)
class Sandbox:
    """Runs shell scripts; `user` is who starts it, `None` = the user of the tests."""

    launch: Callable[[str, dict[str, str]], Launch]
    user: int | None = None
    remove: Callable[[str], object] | None = None  # ends what killing the process cannot

    def start(self, script: str, env: Mapping[str, str] | None = None) -> "Running":
        """Start a script, with a mark by which its processes are found."""
        mark = secrets.token_hex(8)
        launch = self.launch(script, {"MARK": mark, **(env or {})})
        process = subprocess.Popen(
            launch.argv,
            env=launch.env,
            cwd=launch.cwd or "/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            user=self.user,
            group=self.user,
            extra_groups=None if self.user is None else [],
        )
        return Running(self, process, launch, mark)

    def run(self, script: str, env: Mapping[str, str] | None = None) -> str:
        """What the script prints; it must have started, or nothing is proven."""
        running = self.start(f"echo RAN; {script}", env)
        try:
            output, errors = running.process.communicate(timeout=DEADLINE_S)
        finally:
            running.end()
        assert output.startswith("RAN\n"), errors
        return output.removeprefix("RAN\n")


@dataclass
class Running:
    """A started script and all it started."""

    sandbox: Sandbox
    process: subprocess.Popen[str]
    launch: Launch
    mark: str

    def processes(self) -> list[psutil.Process]:
        """Every process of the machine that carries the mark."""
        return [process for process in psutil.process_iter() if _carries(process, self.mark)]

    def kill(self) -> None:
        """Kill -9 what was started, as its supervisor would."""
        self.process.kill()
        self.process.wait()
        if self.launch.container and self.sandbox.remove:
            self.sandbox.remove(self.launch.container)

    def end(self) -> None:
        """Leave nothing behind, whatever the test proved."""
        self.kill()
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):
                process.kill()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def _carries(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get("MARK") == mark
    except (psutil.Error, OSError):
        return False


def unwalled(home: Path, user: int | None = None) -> Sandbox:
    """The control: the same script with nothing around it."""
    plain = PlainRunner(_environ(home))

    def launch(script: str, env: dict[str, str]) -> Launch:
        definition = CommandServer(command="sh", args=("-c", script), env=env)
        return plain.launch(definition, server_name="control", env=env)

    return Sandbox(launch, user)


def bubblewrap(
    home: Path, *, is_root: bool, network: bool = False, processes: int = PROCESSES
) -> Sandbox:
    """A bubblewrap sandbox, made by root or by an ordinary user."""
    if is_root and os.geteuid() != 0:
        pytest.skip("the sandbox that root makes can only be made by root")
    runner = BubblewrapRunner(PlainRunner(_environ(home)), is_root=is_root, processes=processes)
    if fault := runner.missing():
        pytest.skip(fault)

    def launch(script: str, env: dict[str, str]) -> Launch:
        definition = CommandServer(
            command="sh", args=("-c", script), env=env, runner="bubblewrap", network=network
        )
        return runner.launch(definition, server_name="sandboxed", env=env)

    return Sandbox(launch, UNPRIVILEGED if os.geteuid() == 0 and not is_root else None)


def container(home: Path, host: str, image: str) -> Sandbox:
    """A Docker container without a network."""
    runner = DockerRunner(PlainRunner(_environ(home) | {"DOCKER_HOST": host}))

    def launch(script: str, env: dict[str, str]) -> Launch:
        definition = ContainerServer(
            image=image, command=("sh", "-c", script), env=env, network=False, pids=PROCESSES
        )
        return runner.launch(definition, server_name="sandboxed", env=env)

    return Sandbox(launch, remove=lambda name: docker(host, "rm", "--force", name))


def _environ(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home)}


def has_busybox() -> bool:
    """Whether the scripts find their tools outside of a container."""
    return shutil.which("busybox") is not None
