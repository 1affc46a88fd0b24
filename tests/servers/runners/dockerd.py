"""A Docker daemon of the tests' own, and an image made of nothing but busybox."""

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

IMAGE = "toolweave-test/busybox:1"
START_DEADLINE_S = 40.0

# A whole MCP server in ash: it knows just enough JSON to find the id and one argument.
SERVER = r"""#!/bin/sh
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
while read -r line; do
  rest=${line#*\"id\":}
  id=${rest%%[,\}]*}
  case $line in
    *'"method":"initialize"'*)
      answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},'\
'"serverInfo":{"name":"ash","version":"1"}}' ;;
    *'"method":"tools/list"'*)
      answer '"result":{"tools":[{"name":"shout","inputSchema":{"type":"object",'\
'"properties":{"text":{"type":"string"}}}}]}' ;;
    *'"method":"tools/call"'*)
      text=${line#*\"text\":\"}
      text=$(printf '%s' "${text%%\"*}" | tr a-z A-Z)
      answer "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$text$EXCLAMATION\"}]}" ;;
    *'"id":'*)
      answer '"error":{"code":-32601,"message":"no such method"}' ;;
  esac
done
"""


class NoDocker(Exception):
    """Why there is no Docker for the tests."""


@contextmanager
def private_daemon() -> Generator[str]:
    """Start a daemon that shares nothing with the machine's; gives its address."""
    if os.geteuid() != 0 or not shutil.which("dockerd") or not shutil.which("docker"):
        raise NoDocker("a private dockerd needs root and the programs dockerd and docker")
    faults: list[str] = []
    for driver in ("overlay2", "vfs"):
        # Short, as the path of a socket may have 107 bytes.
        room = Path(tempfile.mkdtemp(prefix="tw-docker-"))
        address = f"unix://{room}/docker.sock"
        with (room / "log").open("wb") as log:
            daemon = subprocess.Popen(
                # Not left behind when the tests are killed.
                [
                    *("setpriv", "--pdeathsig", "TERM", "dockerd", f"--host={address}"),
                    *("--bridge=none", "--iptables=false", "--ip6tables=false"),
                    *(f"--storage-driver={driver}", f"--data-root={room}/data"),
                    *(f"--exec-root={room}/exec", f"--pidfile={room}/pid"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            if _answers(daemon, address):
                yield address
                return
            said = (room / "log").read_text(errors="replace").strip().splitlines()[-2:]
            faults.append(f"{driver}: {' | '.join(said)}")
        finally:
            _stop(daemon)
            shutil.rmtree(room, ignore_errors=True)
    raise NoDocker("dockerd does not start: " + "; ".join(faults))


def _answers(daemon: subprocess.Popen[bytes], address: str) -> bool:
    deadline = time.monotonic() + START_DEADLINE_S
    while daemon.poll() is None and time.monotonic() < deadline:
        if docker(address, "version", "--format={{.Server.Version}}").returncode == 0:
            return True
        time.sleep(0.1)
    return False


def _stop(daemon: subprocess.Popen[bytes]) -> None:
    daemon.terminate()
    try:
        daemon.wait(20)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def docker(
    address: str, *arguments: str, data: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the client against one daemon."""
    return subprocess.run(
        ["docker", *arguments],
        env=os.environ | {"DOCKER_HOST": address},
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
    )


def make_image(address: str) -> str:
    """Import an image of a static busybox and the server; gives its name."""
    busybox = shutil.which("busybox")
    if busybox is None:
        raise NoDocker("busybox is not installed; install the package busybox-static")
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
    applets = [name for name in listed.stdout.split() if name != "busybox"]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        _add(tar, "bin/busybox", Path(busybox).read_bytes())
        _add(tar, "server.sh", SERVER.encode())
        for name in applets:
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(link)
    imported = docker(address, "import", "-", IMAGE, data=packed.getvalue())
    tried = docker(address, "run", "--rm", "--network=none", IMAGE, "/bin/true")
    if imported.returncode or tried.returncode:
        said = (imported.stderr + tried.stderr).decode(errors="replace").strip()
        raise NoDocker(f"a busybox image does not run: {said}")
    return IMAGE


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o755
    tar.addfile(entry, io.BytesIO(content))
