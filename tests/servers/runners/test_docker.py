"""The docker runner: the exact command, what it refuses, and a real server in a container."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.servers.runners.dockerd import docker
from tests.servers.runners.talk import call

from toolweave.errors import Invalid, Unavailable
from toolweave.servers.container_owner import ContainerOwner
from toolweave.servers.definition import CommandServer, ContainerServer
from toolweave.servers.runners import docker as module
from toolweave.servers.runners.docker import DockerRunner
from toolweave.servers.runners.plain import PlainRunner
from toolweave.servers.runners.runner import Launch

OWNER = ContainerOwner("host", "boot", "pid:[1]", 42, "99")


@pytest.fixture
def runner(tmp_path: Path) -> DockerRunner:
    """A runner whose client is found but never started."""
    client = tmp_path / "docker"
    client.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    client.chmod(0o755)
    return DockerRunner(
        PlainRunner({"PATH": str(tmp_path), "DOCKER_HOST": "unix:///ours"}), owner=OWNER
    )


def _launch(runner: DockerRunner, definition: ContainerServer, name: str = "web") -> Launch:
    return runner.launch(definition, server_name=name, env=definition.env)


def test_the_whole_definition_is_in_the_command(runner: DockerRunner, tmp_path: Path) -> None:
    definition = ContainerServer(
        image="ghcr.io/acme/server:1.2",
        container_name="acme",
        command=("serve", "--stdio"),
        env={"TOKEN": "secret"},
        ports={"8080": 18080, "53/udp": 5353},
        memory_mb=128,
        pids=64,
    )
    assert _launch(runner, definition) == Launch(
        argv=(
            *(f"{tmp_path}/docker", "run", "--rm", "--interactive", "--init", "--name=acme"),
            *("--label=toolweave.server=web", "--label=toolweave.owner=host/boot/pid:[1]/42/99"),
            *("--memory=128m", "--memory-swap=128m", "--log-driver=none"),
            *("--pids-limit=64", "--cap-drop=ALL", "--read-only"),
            "--security-opt=no-new-privileges",
            "--tmpfs=/tmp:rw,nosuid,nodev,mode=1777,size=64m",
            *("--publish=127.0.0.1:18080:8080", "--publish=127.0.0.1:5353:53/udp"),
            "--env=TOKEN",
            *("ghcr.io/acme/server:1.2", "serve", "--stdio"),
        ),
        env={"PATH": str(tmp_path), "TOKEN": "secret", "DOCKER_HOST": "unix:///ours"},
        container="acme",
    )


def test_a_container_without_network_has_none(runner: DockerRunner) -> None:
    assert "--network=none" in _launch(runner, ContainerServer(image="a", network=False)).argv
    assert "--network=none" not in _launch(runner, ContainerServer(image="a")).argv


@pytest.mark.parametrize(
    ("server", "pattern"),
    [
        ("My Server/2", r"toolweave-my-server-2-[0-9a-f]{8}"),
        ("日本", r"toolweave-server-[0-9a-f]{8}"),
        ("x" * 128, r"toolweave-x{40}-[0-9a-f]{8}"),
    ],
)
def test_a_container_is_named_after_its_server_and_never_twice_the_same(
    runner: DockerRunner, server: str, pattern: str
) -> None:
    names = [_launch(runner, ContainerServer(image="a"), server).container or "" for _ in range(2)]
    assert all(re.fullmatch(pattern, name) for name in names)
    assert names[0] != names[1]


@pytest.mark.parametrize(
    "image",
    [
        "busybox",
        "busybox:1.36",
        "library/busybox",
        "localhost:5000/a/b-c/d__e:v1",
        "ghcr.io/acme/server@sha256:" + "0" * 64,
        "Registry.Example.ORG/a:B_c.d-e",
    ],
)
def test_an_image_name_of_any_form_is_taken(runner: DockerRunner, image: str) -> None:
    assert _launch(runner, ContainerServer(image=image)).argv[-1] == image


@pytest.mark.parametrize(
    "image",
    ["-v/:/host", "--privileged", "a b", "a;b", "a\n", "A", "a:", "a@sha256:1", "/a", "a//b"],
)
def test_what_is_no_image_name_is_refused(runner: DockerRunner, image: str) -> None:
    with pytest.raises(Invalid) as refused:
        _launch(runner, ContainerServer(image=image))
    assert refused.value.code == "SERVER_CONTAINER_INVALID"
    assert [problem.pointer for problem in refused.value.problems] == ["/image"]


def test_every_fault_is_told_at_once(runner: DockerRunner) -> None:
    definition = ContainerServer(
        image="-x",
        container_name="--privileged",
        ports={"0": 80, "80": 0, "-1": 80, "80/sctp": 80, "70000": 80, "81/tcp": 81},
        env={"A B": "x"},
        network=False,
    )
    with pytest.raises(Invalid) as refused:
        _launch(runner, definition)
    assert [problem.pointer for problem in refused.value.problems] == [
        "/image",
        "/container_name",
        "/ports",
        "/ports/0",
        "/ports/80",
        "/ports/-1",
        "/ports/80~1sctp",
        "/ports/70000",
        "/env/A B",
    ]


@pytest.mark.parametrize(
    "name", ["DOCKER_HOST", "PATH", "HOME", "LD_PRELOAD", "HTTPS_PROXY", "http_proxy"]
)
def test_a_variable_for_the_container_does_not_steer_the_client(
    runner: DockerRunner, name: str, tmp_path: Path
) -> None:
    launch = _launch(runner, ContainerServer(image="a", env={name: "theirs"}))
    assert launch.env == {"PATH": str(tmp_path), "DOCKER_HOST": "unix:///ours"}
    assert f"--env={name}=theirs" in launch.argv


def test_a_zero_byte_is_refused_wherever_it_would_travel(runner: DockerRunner) -> None:
    for name in ("TOKEN", "PATH"):
        with pytest.raises(Invalid) as refused:
            _launch(runner, ContainerServer(image="a", env={name: "\0"}))
        assert refused.value.code == "SERVER_ENVIRONMENT_INVALID"


def test_a_command_is_not_started_by_it(runner: DockerRunner) -> None:
    with pytest.raises(Invalid) as refused:
        runner.launch(CommandServer(command="sh"), server_name="x", env={})
    assert refused.value.code == "SERVER_RUNNER_MISMATCH"


def test_a_machine_without_docker_is_told_to_install_it(tmp_path: Path) -> None:
    runner = DockerRunner(PlainRunner({"PATH": str(tmp_path)}))
    assert "install Docker" in (runner.missing() or "")
    with pytest.raises(Unavailable) as refused:
        _launch(runner, ContainerServer(image="a"))
    assert refused.value.code == "RUNNER_MISSING"


@pytest.mark.skipif(shutil.which("docker") is None, reason="docker is not installed")
def test_a_daemon_that_does_not_run_is_told_to_be_started(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "DOCKER_HOST": f"unix://{tmp_path}/none"}
    assert "start it" in (DockerRunner(PlainRunner(environ)).missing() or "")


def test_a_daemon_that_hangs_is_told_to_be_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = tmp_path / "docker"
    client.write_text("#!/bin/sh\nexec sleep 60\n", encoding="ascii")
    client.chmod(0o755)
    monkeypatch.setattr(module, "ANSWER_DEADLINE_S", 0.05)
    runner = DockerRunner(PlainRunner({"PATH": f"{tmp_path}:{os.environ['PATH']}"}))
    assert runner.missing() == "Docker did not respond within 0.05 s; restart it"


def test_a_client_that_cannot_be_started_is_said_so(tmp_path: Path) -> None:
    client = tmp_path / "docker"
    client.write_bytes(b"\0not a program")
    client.chmod(0o755)
    assert "reinstall" in (DockerRunner(PlainRunner({"PATH": str(tmp_path)})).missing() or "")


@pytest.mark.anyio
@pytest.mark.xdist_group("docker")
async def test_a_real_server_answers_from_its_container(
    docker_host: str, busybox_image: str
) -> None:
    runner = DockerRunner(PlainRunner({"PATH": os.environ["PATH"], "DOCKER_HOST": docker_host}))
    assert runner.missing() is None
    definition = ContainerServer(
        image=busybox_image, command=("/server.sh",), env={"EXCLAMATION": "!"}, network=False
    )
    launch = _launch(runner, definition)
    assert await call(launch, "shout", {"text": "hello"}) == "HELLO!"
    listed = docker(docker_host, "ps", "--all", "--quiet", f"--filter=name={launch.container}")
    assert listed.stdout == b""


@pytest.mark.xdist_group("docker")
def test_a_container_has_no_rights_and_its_values_are_in_no_command_line(
    docker_host: str, busybox_image: str
) -> None:
    runner = DockerRunner(PlainRunner({"PATH": os.environ["PATH"], "DOCKER_HOST": docker_host}))
    script = "grep -E 'Cap(Eff|Bnd)|NoNewPrivs' /proc/self/status; echo $TOKEN; touch /tmp/a"
    definition = ContainerServer(
        image=busybox_image, command=("sh", "-c", script), env={"TOKEN": "secret"}
    )
    launch = _launch(runner, definition)
    assert not any("secret" in part for part in launch.argv)
    done = subprocess.run(launch.argv, env=launch.env, capture_output=True, text=True, timeout=60)
    said = [line.split()[-1].lstrip("0") for line in done.stdout.splitlines()]
    assert (said, done.stderr, done.returncode) == (["", "", "1", "secret"], "", 0)
