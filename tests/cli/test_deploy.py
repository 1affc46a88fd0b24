"""`deploy/compose.yaml`: its commands, run as processes beside a real Temporal and Postgres."""

import json
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
import yaml
from tests.cli.driving import PROGRAM, Commands
from tests.engine.temporal_server import TemporalServer
from tests.storage.postgres import Postgres

from toolweave.engine.temporal.address import parse_address

pytestmark = pytest.mark.xdist_group("postgres")

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVICES: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
PORT = "8765"
GREET = {
    "id": "greet",
    "name": "greet",
    "version": "1.0.0",
    "schemaVersion": "1.3.0",
    "nodes": [
        {"id": "s", "type": "start", "name": "s", "position": {"x": 0, "y": 0}, "data": {}},
        {"id": "e", "type": "end", "name": "e", "position": {"x": 9, "y": 0}, "data": {}},
    ],
    "connections": [
        {"id": "1", "from": "s", "to": "e", "fromPort": "output", "toPort": "input"},
    ],
}


@pytest.fixture
def tw(tmp_path: Path) -> Commands:
    return Commands(tmp_path, tmp_path)


@contextmanager
def started(service: str, environ: Mapping[str, str]) -> Generator[tuple[int, str]]:
    """A service's process, and the first line that it writes."""
    words = [word if word != PORT else "0" for word in SERVICES[service]["command"]]
    with subprocess.Popen([*PROGRAM, *words], env=environ, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        try:
            yield process.pid, process.stderr.readline().decode()
        finally:
            process.kill()


def test_two_workers_and_a_service_run_what_a_command_and_rest_start(
    tw: Commands, postgres: Postgres, temporal: TemporalServer
) -> None:
    settings = SERVICES["worker"]["environment"] | {
        "TOOLWEAVE_DATABASE": (database := postgres.new_database()),
        "TOOLWEAVE_BACKEND": temporal.address(lease_s=2, queue="deploy"),
        "TOOLWEAVE_VAULT_KEY": "a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=",
        "TOOLWEAVE_LOCKFILE": str(tw.home / "toolweave.lock.json"),
    }
    assert SERVICES["serve"]["environment"] == SERVICES["worker"]["environment"]
    environ = tw.environ | settings
    path = tw.project / "greet.json"
    path.write_text(json.dumps(GREET))
    with ExitStack() as stack:
        workers: list[str] = []
        for _ in range(SERVICES["worker"]["deploy"]["replicas"]):
            pid, line = stack.enter_context(started("worker", environ))
            assert line == "working\n"
            workers.append(str(pid))
        assert tw.ok("run", str(path), "--input", "n=1", "--json", **settings).code == 0
        with psycopg.connect(database) as connection:
            ((holder,),) = connection.execute("SELECT holder FROM runs").fetchall()
        assert holder.split("/")[1] in workers

        _, line = stack.enter_context(started("serve", environ))
        url = line.split()[2].replace("0.0.0.0", "127.0.0.1")
        kind, _, *check = SERVICES["serve"]["healthcheck"]["test"]
        code = check[-1].replace(f"127.0.0.1:{PORT}", url.removeprefix("http://"))
        assert (kind, check[0]) == ("CMD", "-c")
        subprocess.run([sys.executable, "-c", code], check=True)
        key = (tw.state / "studio.key").read_text().strip()
        with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}) as client:
            run = client.post("/api/v1/runs", json={"document": GREET, "inputs": {}}).json()["id"]
            until = time.monotonic() + 40
            while (status := client.get(f"/api/v1/runs/{run}").json()["status"]) == "running":
                assert time.monotonic() < until
                time.sleep(0.05)
        assert status == "success"


def test_the_services_fit_each_other() -> None:
    settings = SERVICES["worker"]["environment"]
    assert parse_address(settings["TOOLWEAVE_BACKEND"]).target.split(":")[0] in SERVICES
    assert "@postgres:" in settings["TOOLWEAVE_DATABASE"]
    assert {"serve", "worker", "postgres", "temporal"} == SERVICES.keys()
    for name in ("serve", "worker"):
        grace_s = int(SERVICES[name]["stop_grace_period"].removesuffix("s"))
        assert grace_s > int(settings["TOOLWEAVE_DRAIN_S"])
        assert SERVICES[name]["depends_on"].keys() <= SERVICES.keys()
    temporal = Path(sys.executable).with_name("temporal")
    shown = subprocess.run([temporal, "server", "start-dev", "--help"], capture_output=True)
    for option in SERVICES["temporal"]["command"]:
        assert not option.startswith("--") or option.encode() in shown.stdout


def test_the_image_gets_every_file_that_it_copies() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    copied = [
        line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--from" not in line
    ]
    sent = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for name in (name for names in copied for name in names):
        assert (DEPLOY.parent / name).exists()
        assert f"!{name}" in sent
