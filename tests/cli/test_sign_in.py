"""`toolweave servers sign-in` at a real authorization server, with a person's browser."""

import httpx2
from tests.cli.driving import DEADLINE_S, Commands

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
            with httpx2.Client(trust_env=False) as browser:
                browser.get(browser.get(address).headers["location"])
            out, err = process.communicate(timeout=DEADLINE_S)
        assert (process.returncode, err) == (0, b"")
        assert out.startswith(b"Signed in to 'web': ")
        tw.ok("servers", "approve", "web")
        ran = tw.ok("call", "web", "add", "--args", '{"a": 20, "b": 22}')
        assert "42" in ran.out
