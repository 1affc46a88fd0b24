"""Containers do not outlive us, even if our guardian is killed with us."""

import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest
from tests.servers.runners.dockerd import docker
from tests.servers.runners.eventually import eventually

from toolweave.servers.container_owner import ContainerOwner
from toolweave.servers.definition import ContainerServer
from toolweave.servers.guardian import Guardian
from toolweave.servers.runners.docker import DockerRunner
from toolweave.servers.runners.plain import PlainRunner

pytestmark = pytest.mark.xdist_group("docker")

OWNER = textwrap.dedent("""
    import subprocess, sys, anyio
    from toolweave.servers.definition import ContainerServer
    from toolweave.servers.guardian import Guardian
    from toolweave.servers.runners.docker import runner

    async def main():
        sleep = ("/bin/sleep", "600")
        definition = ContainerServer(image=sys.argv[1], command=sleep, network=False)
        launch = runner.launch(definition, server_name="orphan", env={})
        async with Guardian() as guardian:
            await guardian.watch_container(launch.container)
            server = subprocess.Popen(launch.argv, env=launch.env, stdin=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL, start_new_session=True)
            await guardian.watch_group(server.pid)
            print(launch.container, flush=True)
            await anyio.sleep_forever()

    anyio.run(main)
""")


@pytest.fixture
def environ(docker_host: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "DOCKER_HOST": docker_host}


def _running(host: str) -> set[str]:
    """The names of all running containers."""
    return set(docker(host, "ps", "--format={{.Names}}").stdout.decode().split())


def _start(environ: dict[str, str], image: str, name: str, owner: ContainerOwner) -> None:
    runner = DockerRunner(PlainRunner(environ), owner=owner)
    definition = ContainerServer(
        image=image, container_name=name, command=("sleep", "600"), network=False
    )
    launch = runner.launch(definition, server_name=name, env={})
    subprocess.run(
        [*launch.argv[:2], "--detach", *launch.argv[2:]], env=launch.env, check=True, timeout=60
    )


def test_a_container_is_removed_when_we_are_killed(
    environ: dict[str, str], docker_host: str, busybox_image: str
) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, busybox_image],
        env=os.environ | environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    with owner:
        assert owner.stdout is not None
        name = owner.stdout.readline().strip()
        eventually(lambda: name in _running(docker_host))
        owner.send_signal(signal.SIGKILL)
    eventually(lambda: name not in _running(docker_host))


@pytest.mark.anyio
async def test_orphans_are_removed_and_nobody_elses_container(
    environ: dict[str, str], docker_host: str, busybox_image: str
) -> None:
    here = ContainerOwner.this()
    owners = {
        "orphan-restarted": replace(here, boot="before"),
        "orphan-dead": replace(here, started="1"),
        "kept-ours": here,
        "kept-elsewhere": replace(here, machine="elsewhere", boot="other"),
    }
    for name, owner in owners.items():
        _start(environ, busybox_image, name, owner)
    async with Guardian(environ=environ) as guardian:
        assert set(await guardian.remove_orphans()) == {"orphan-restarted", "orphan-dead"}
        assert _running(docker_host) & set(owners) == {"kept-ours", "kept-elsewhere"}
        assert await guardian.remove_orphans() == ()
        # A process removes only what it started, also when it knows the name.
        for name in ("kept-ours", "kept-elsewhere"):
            await guardian.remove_container(name)
    assert _running(docker_host) & set(owners) == {"kept-elsewhere"}
    docker(docker_host, "rm", "--force", "kept-elsewhere")


@pytest.mark.anyio
async def test_a_watched_container_is_removed_when_we_close(
    environ: dict[str, str], docker_host: str, busybox_image: str
) -> None:
    _start(environ, busybox_image, "watched", ContainerOwner.this())
    async with Guardian(environ=environ) as guardian:
        await guardian.watch_container("watched")
    assert "watched" not in _running(docker_host)
