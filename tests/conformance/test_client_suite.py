"""The official suite's client scenarios, run through the product: registry, sign-in, gate."""

import json
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from conformance.client_driver import serving_scenarios
from conformance.programs import needs, run_script

pytestmark = [pytest.mark.xdist_group("node"), needs("conformance-2026")]

SUITE = "conformance-2026/dist/index.js"
COMMAND = Path(__file__).with_name("client_command.py")
LACKING = Path(__file__).with_name("client_failures.yml")
# Of every revision; each of them has to be looked at and found right.
PASSED = {
    "tools_call",
    "auth/metadata-default",
    "auth/basic-cimd",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/pre-registration",
    "auth/client-credentials-basic",
    "auth/client-credentials-jwt",
    "auth/token-endpoint-auth-post",
    "auth/enterprise-managed-authorization",
}
ONLY_NEW = {
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/metadata-issuer-mismatch",
    "auth/resource-mismatch",
    "auth/authorization-server-migration",
    "http-invalid-tool-headers",
}


@pytest.fixture(scope="module")
def socket(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    with serving_scenarios(tmp_path_factory.mktemp("client")) as path:
        yield path


def run_client(socket: Path, out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = f"{sys.executable} -S -E {COMMAND}"
    return run_script(
        SUITE,
        ["client", "--command", command, "--timeout", "90000", "-o", str(out), *arguments],
        home=out.parent,
        environ={"CLIENT_SOCKET": str(socket)},
    )


# Each scenario's folder ends with the time of its run.
STAMP = re.compile(r"-\d{4}-\d\d-\d\dT[^/]*$")


def statuses(out: Path) -> dict[str, set[str]]:
    """The statuses of every scenario's checks."""
    found: dict[str, set[str]] = {}
    for checks in out.glob("**/checks.json"):
        scenario = STAMP.sub("", str(checks.parent.relative_to(out)))
        entries = json.loads(checks.read_text(encoding="utf-8"))
        found[scenario] = {entry["status"] for entry in entries}
    return found


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_we_pass_what_a_revision_asks_of_clients_but_what_we_lack(
    socket: Path, tmp_path: Path, revision: str
) -> None:
    out = tmp_path / "out"
    lacking = ("--expected-failures", str(LACKING))
    done = run_client(socket, out, "--requirements", revision, *lacking)
    assert done.returncode == 0, done.stdout + done.stderr
    found = statuses(out)
    wanted = PASSED | ONLY_NEW if revision == "2026-07-28" else PASSED
    wrong = {name: found[name] for name in wanted if "FAILURE" in found[name]}
    assert wrong == {}
    assert all("SUCCESS" in found[name] for name in wanted)


@pytest.mark.parametrize(
    "part", ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"]
)
def test_we_use_skills_as_the_extension_asks_of_clients(
    socket: Path, tmp_path: Path, part: str
) -> None:
    scenario = f"sep-2640-client-{part}"
    run_client(socket, tmp_path / "out", "--scenario", scenario)
    # The command fails where a file is refused, as the scenario allows; its checks count.
    assert statuses(tmp_path / "out") == {scenario: {"SUCCESS"}}


def test_the_suite_fails_a_client_that_lacks_what_it_asks_for(socket: Path, tmp_path: Path) -> None:
    # A positive control: without the list of what we lack.
    done = run_client(socket, tmp_path / "out", "--scenario", "auth/dpop")
    assert done.returncode == 1
    assert "FAILURE" in statuses(tmp_path / "out")["auth/dpop"]
