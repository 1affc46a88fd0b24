"""Real sandboxes: tests ask for one and are skipped, with the reason, where there is none."""

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.servers.runners.dockerd import NoDocker, make_image, private_daemon

from toolweave.servers.runners.docker import DockerRunner
from toolweave.servers.runners.plain import PlainRunner


@pytest.fixture(scope="session")
def docker_host() -> Generator[str]:
    """The address of a Docker daemon; mark tests with `xdist_group("docker")` to share it."""
    with ExitStack() as stack:
        try:
            address = stack.enter_context(private_daemon())
        except NoDocker as reason:
            address = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
            if fault := DockerRunner(PlainRunner(os.environ | {"DOCKER_HOST": address})).missing():
                pytest.skip(f"{reason}; and the machine has no other: {fault}")
        yield address


@pytest.fixture(scope="session")
def busybox_image(docker_host: str) -> str:
    """An image with busybox and `/server.sh`, an MCP server with the tool `shout`."""
    try:
        return make_image(docker_host)
    except NoDocker as reason:
        pytest.skip(str(reason))


@pytest.fixture
def home() -> Iterator[Path]:
    """A home directory any user can read; not `tmp_path`, which only its owner can enter."""
    path = Path(tempfile.mkdtemp(prefix="tw-home-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)
