"""Start a server from a container image with minimal privileges.

The container has no capabilities, a read-only disk and its own limits. Environment values
reach Docker through the client's environment, so no secret is on a command line.
"""

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Mapping

from toolweave.errors import Invalid, Unavailable
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.servers.container_owner import OWNER_LABEL, ContainerOwner
from toolweave.servers.definition import ContainerServer, Definition, RunnerName
from toolweave.servers.runners import plain
from toolweave.servers.runners.runner import Launch

SERVER_LABEL = "toolweave.server"
ANSWER_DEADLINE_S = 5.0
SCRATCH_MB = 64

# Variables that select the Docker daemon.
CLIENT_NAMES = (
    *("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"),
    *("DOCKER_API_VERSION", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK"),
)
# Names that would affect the client itself if passed through its environment: which
# daemon it uses, which helpers it runs. Their values are written on the command line instead.
OBEYED_BY_CLIENT = pattern(
    r"DOCKER_.*|XDG_.*|SSL_CERT_(FILE|DIR)|SSH_(AUTH_SOCK|ASKPASS.*|SK_.*)|HOME|PATH|TMPDIR"
    r"|GO(DEBUG|GC|MAXPROCS|MEMLIMIT|TRACEBACK)|(?i:(https?|no|all)_proxy)"
)

_WORD = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
IMAGE = pattern(
    rf"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{{1,5}})?/)?{_WORD}(?:/{_WORD})*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[a-f0-9]{64})?"
)
NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
PORT = pattern(r"([0-9]{1,5})(/(tcp|udp))?")
VARIABLE = pattern(r"[A-Za-z_][A-Za-z0-9_.-]*")


class DockerRunner:
    """A container that is removed when the server stops."""

    name: RunnerName = "docker"

    def __init__(self, inner: plain.PlainRunner, *, owner: ContainerOwner | None = None) -> None:
        self._inner = inner
        self._owner = owner  # None = this process

    def missing(self) -> str | None:
        """Return why no container can be started; checks the daemon each time."""
        docker = self._client()
        if docker is None:
            return "'docker' was not found on PATH; install Docker Engine or Docker Desktop"
        try:
            answer = subprocess.run(
                [docker, "version", "--format={{.Server.Version}}"],
                env=self._environment({}),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=ANSWER_DEADLINE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"Docker did not respond within {ANSWER_DEADLINE_S:g} s; restart it"
        except OSError as error:
            return f"'docker' cannot be started ({type(error).__name__}); reinstall Docker"
        if answer.returncode == 0:
            return None
        said = answer.stderr.decode(errors="replace").strip()[-300:]
        return f"Docker does not respond ({said}); start it, or set DOCKER_HOST to a running one"

    def launch(self, definition: Definition, *, server_name: str, env: dict[str, str]) -> Launch:
        """Return the `docker run` command for an image."""
        if not isinstance(definition, ContainerServer):
            raise Invalid(
                "SERVER_RUNNER_MISMATCH",
                f"runner 'docker' starts an image; the definition is of kind {definition.kind!r}",
            )
        plain.check_environment(env)
        problems = list(_problems_of(definition, env))
        if problems:
            raise Invalid(
                "SERVER_CONTAINER_INVALID",
                f"the container of server {server_name!r} has an invalid definition",
                problems=problems,
            )
        docker = self._client()
        if docker is None:
            raise Unavailable("RUNNER_MISSING", "'docker' is not installed here")
        container = definition.container_name or _name_for(server_name)
        return Launch(
            argv=(
                *(docker, "run", "--rm", "--interactive", "--init", f"--name={container}"),
                f"--label={SERVER_LABEL}={server_name}",
                f"--label={OWNER_LABEL}={self._owner or ContainerOwner.this()}",
                *_walls(definition),
                *_variables(env),
                *(definition.image, *definition.command),
            ),
            env=self._environment(env),
            container=container,
        )

    def _client(self) -> str | None:
        return shutil.which("docker", path=self._inner.environ.get("PATH", os.defpath))

    def _environment(self, env: Mapping[str, str]) -> dict[str, str]:
        ours = self._inner.environ
        carried = {name: value for name, value in env.items() if not _is_obeyed(name)}
        return self._inner.environment(carried) | {
            name: ours[name] for name in CLIENT_NAMES if name in ours
        }


def _walls(definition: ContainerServer) -> Iterator[str]:
    memory = f"{definition.memory_mb}m"
    # No swap, and no log: it would store every message on disk.
    yield from (f"--memory={memory}", f"--memory-swap={memory}", "--log-driver=none")
    yield from (f"--pids-limit={definition.pids}", "--cap-drop=ALL", "--read-only")
    yield "--security-opt=no-new-privileges"
    yield f"--tmpfs=/tmp:rw,nosuid,nodev,mode=1777,size={SCRATCH_MB}m"
    if not definition.network:
        yield "--network=none"
    for inside, outside in definition.ports.items():
        yield f"--publish=127.0.0.1:{outside}:{inside}"


def _variables(env: Mapping[str, str]) -> Iterator[str]:
    for name, value in env.items():
        yield f"--env={name}={value}" if _is_obeyed(name) else f"--env={name}"


def _is_obeyed(name: str) -> bool:
    return bool(OBEYED_BY_CLIENT.fullmatch(name) or plain.OBEYED_BY_LOADER.fullmatch(name))


def _name_for(server_name: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", server_name.lower()).strip("-")[:40]
    return f"toolweave-{slug or 'server'}-{secrets.token_hex(4)}"


def _problems_of(definition: ContainerServer, env: Mapping[str, str]) -> Iterator[Problem]:
    code = "SERVER_CONTAINER_INVALID"
    if not IMAGE.fullmatch(definition.image):
        expected = "expected [HOST[:PORT]/]NAME[:TAG][@sha256:DIGEST]"
        yield Problem(
            code, pointer("image"), f"image {definition.image!r} is not a valid name; {expected}"
        )
    name = definition.container_name
    if name is not None and not NAME.fullmatch(name):
        expected = "expected letters, digits, '_', '.', '-', starting with a letter or digit"
        yield Problem(code, pointer("container_name"), f"container name {name!r}; {expected}")
    if definition.ports and not definition.network:
        message = "ports are published but the container has no network; remove one of the two"
        yield Problem(code, pointer("ports"), message)
    for inside, outside in definition.ports.items():
        found = PORT.fullmatch(inside)
        if not (found and 0 < int(found[1]) < 65536 and 0 < outside < 65536):
            message = f"port {inside!r} to {outside}; expected container port to host port, 1-65535"
            yield Problem(code, pointer("ports", inside), message)
    for variable in env:
        if not VARIABLE.fullmatch(variable):
            message = f"{variable!r} is not a valid variable name; use letters, digits and '_'"
            yield Problem(code, pointer("env", variable), message)


runner = DockerRunner(plain.runner)
