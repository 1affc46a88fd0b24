"""`toolweave servers sign-in` at a real authorization server, with a person's browser."""

import json
import socket

import httpx2
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl
from tests.cli.driving import DEADLINE_S, Commands

from rest.drawn import drawn
from servers.authorization import protected_server


def test_a_person_signs_in_once_and_calls_tools_from_then_on(tw: Commands) -> None:
    with protected_server() as known:
        tw.ok("servers", "add", "web", known.url, "--oauth")
        first = tw("servers", "approve", "web", "--yes")
        assert first.code == 1
        assert "toolweave servers sign-in web" in first.err
        with tw.process("servers", "sign-in", "web", "--no-browser") as process:
            assert process.stderr is not None
            assert process.stderr.readline() == b"Open this URL to sign in:\n"
            address = process.stderr.readline().decode().strip()
            assert b"paste its address here" in process.stderr.readline()
            with httpx2.Client(trust_env=False) as browser:
                browser.get(browser.get(address).headers["location"])
            out, err = process.communicate(timeout=DEADLINE_S)
        assert (process.returncode, err.strip()) == (0, b"")
        assert out.startswith(b"Signed in to 'web': ")
        tw.ok("servers", "approve", "web")
        add = ("call", "web", "add", "--args", '{"a": 20, "b": 22}')
        assert "42" in tw.ok(*add).out
        assert "Signed out" in tw.ok("servers", "sign-out", "web").out
        refused = tw(*add)
        assert refused.code == 1
        assert "toolweave servers sign-in web" in " ".join(refused.err.split())
        assert "Nobody was signed in" in tw.ok("servers", "sign-out", "web").out


def test_a_person_with_a_browser_elsewhere_pastes_the_address_it_ended_at(tw: Commands) -> None:
    with protected_server() as known:
        tw.ok("servers", "add", "web", known.url, "--oauth")
        tw("servers", "approve", "web", "--yes")
        with tw.piped("servers", "sign-in", "web", "--no-browser") as process:
            assert process.stderr is not None
            assert process.stdin is not None
            process.stderr.readline()
            address = process.stderr.readline().decode().strip()
            process.stderr.readline()
            with httpx2.Client(trust_env=False) as browser:
                ended_at = browser.get(address).headers["location"]
            process.stdin.write(ended_at.replace("state=", "state=x").encode() + b"\n")
            process.stdin.flush()
            assert b"not the address that the sign-in returned to" in process.stderr.readline()
            process.stdin.write(ended_at.encode() + b"\n")
            process.stdin.flush()
            out, _ = process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0
        assert out.startswith(b"Signed in to 'web': ")
        assert "oauth:web" in tw.ok("secrets", "list").out
        tw.ok("servers", "remove", "web")
        assert "oauth:web" not in tw.ok("secrets", "list").out


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return bound.getsockname()[1]


def test_a_client_that_was_registered_by_hand_signs_in_with_its_secret_of_the_vault(
    tw: Commands,
) -> None:
    port = free_port()
    with protected_server() as known:
        known.provider.clients["by-hand"] = OAuthClientInformationFull(
            client_id="by-hand",
            client_secret="its secret",
            redirect_uris=[AnyUrl(f"http://localhost:{port}/callback")],
            scope="tools",
            token_endpoint_auth_method="client_secret_basic",
        )
        tw.ok("secrets", "set", "web", input="its secret")
        literal = tw("servers", "add", "web", known.url, "--client-id", "x", "--client-secret", "y")
        assert literal.code == 2
        assert "'${vault:NAME}'" in literal.err
        client = ("--client-id", "by-hand", "--client-secret", "${vault:web}")
        tw.ok("servers", "add", "web", known.url, *client, "--callback-port", str(port))
        shown = tw("servers", "approve", "web", "--yes")
        assert f"OAuth as by-hand on port {port}" in shown.out
        with tw.process("servers", "sign-in", "web", "--no-browser") as process:
            assert process.stderr is not None
            process.stderr.readline()
            address = process.stderr.readline().decode().strip()
            with httpx2.Client(trust_env=False) as browser:
                browser.get(browser.get(address).headers["location"])
            process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0
        assert list(known.provider.clients) == ["by-hand"]


def test_every_command_that_meets_a_401_names_the_sign_in(tw: Commands) -> None:
    with protected_server() as known:
        tw.ok("servers", "add", "web", known.url, "--oauth")
        tw("servers", "approve", "web", "--yes")
        call = {
            "serverId": "web",
            "toolName": "add",
            "mode": "detailed",
            "parameterValues": {"a": 1, "b": 2},
        }
        workflow = drawn("uses", {"id": "t", "type": "mcp", "name": "T", "data": call})
        (tw.project / "uses.json").write_text(json.dumps(workflow), encoding="utf-8")
        for command in (
            ("call", "web", "add", "--args", '{"a": 1, "b": 2}'),
            ("servers", "check", "web"),
            ("run", str(tw.project / "uses.json")),
        ):
            ran = tw(*command)
            assert ran.code == 1
            assert "toolweave servers sign-in web" in " ".join((ran.out + ran.err).split()), command


def test_a_server_that_was_added_without_oauth_gets_it_with_its_approval(tw: Commands) -> None:
    with protected_server() as known:
        tw.ok("servers", "add", "web", known.url)
        first = tw("servers", "approve", "web", "--yes")
        assert "servers approve NAME --oauth" in " ".join(first.err.split())
        checked = tw("servers", "check", "web")
        assert "servers approve NAME --oauth" in " ".join(checked.out.split())
        refused = tw("servers", "sign-in", "web", "--no-browser")
        assert "toolweave servers approve web --oauth" in " ".join(refused.err.split())
        # Without a yes the definition stays as it is.
        shown = tw("servers", "approve", "web", "--oauth", "--json")
        assert (shown.code, shown.json["approved"]) == (1, False)
        assert tw("servers", "sign-in", "web", "--no-browser").code == 1
        changed = tw("servers", "approve", "web", "--oauth", "--yes")
        assert "sign-in  OAuth" in changed.out
        assert "toolweave servers sign-in web" in changed.err
        doctor = " ".join(tw("doctor").out.split())
        assert "server web" in doctor
        assert "toolweave servers sign-in web" in doctor
        with tw.process("servers", "sign-in", "web", "--no-browser") as process:
            assert process.stderr is not None
            process.stderr.readline()
            address = process.stderr.readline().decode().strip()
            with httpx2.Client(trust_env=False) as browser:
                browser.get(browser.get(address).headers["location"])
            process.communicate(timeout=DEADLINE_S)
        assert process.returncode == 0
        tw.ok("servers", "approve", "web")
        assert "42" in tw.ok("call", "web", "add", "--args", '{"a": 20, "b": 22}').out
        assert "server web" not in tw("doctor").out
        assert "SERVER_SIGN_IN_UNUSED" in stdio_refused(tw)


def stdio_refused(tw: Commands) -> str:
    tw.ok("servers", "add", "local", "--", "cat")
    return tw("servers", "approve", "local", "--oauth", "--yes").err
