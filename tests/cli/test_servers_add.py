"""`toolweave servers add`: its four forms, and what is no form at all."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from tests.cli.driving import Commands

from hostile.catalogue import HERE


def _facts(tw: Commands, name: str) -> dict[str, object]:
    """What would be approved."""
    return tw("servers", "approve", name, "--json").json


def test_a_command_after_the_dashes_is_registered_as_it_was_given(tw: Commands) -> None:
    argv = ("env", "--json", "-H", "--name=x y", "--", "last")
    ran = tw.ok("servers", "add", "mine", "-e", "TOKEN=t", "--cwd", "/", "--", *argv)
    assert ran.out == "Added 'mine'. Next: `toolweave servers approve mine`.\n"
    facts = _facts(tw, "mine")
    assert facts["argv"] == list(argv)
    assert facts["environment"] == ["TOKEN"]
    assert facts["directory"] == "/"
    assert facts["runner"] == "plain"


def test_our_own_program_is_registered_by_its_full_path(tw: Commands) -> None:
    tw.ok("servers", "add", "demo", "--", "toolweave", "demo-server")
    assert _facts(tw, "demo")["argv"] == [
        sys.executable,
        "-m",
        "toolweave.cli.main",
        "demo-server",
    ]


def test_an_address_is_registered_with_its_headers(tw: Commands) -> None:
    tw.ok("servers", "add", "web", "https://example.com/mcp", "-H", "X-Team=a=b", "--oauth")
    facts = _facts(tw, "web")
    assert (facts["transport"], facts["address"]) == ("http", "https://example.com/mcp")
    assert (facts["headers"], facts["signIn"]) == (["X-Team"], "OAuth")


def test_an_older_address_is_registered_as_sse(tw: Commands) -> None:
    [added] = tw.ok("servers", "add", "old", "http://example.com/sse", "--sse", "--json").json
    assert (added["name"], added["transport"], added["state"]) == ("old", "sse", "not approved")
    assert added["deploymentType"] == "external"


def test_an_image_is_registered_with_its_limits(tw: Commands) -> None:
    options = ("--port", "80=8080", "--memory-mb", "64", "--pids", "16", "--no-network")
    ran = tw.ok(
        *("servers", "add", "boxed", "--image", "mcp/time:1", *options),
        *("--container-name", "clock", "--json", "--", "--tz", "UTC"),
    )
    [added] = ran.json
    assert (added["runner"], added["deploymentType"]) == ("docker", "managed")


def test_a_sandboxed_command_is_registered_with_what_it_may_touch(tw: Commands) -> None:
    ran = tw.ok(
        *("servers", "add", "safe", "--sandbox", "--writable", "out", "--no-network", "--json"),
        *("--", "env"),
    )
    assert ran.json[0]["runner"] == "bubblewrap"


def test_pasted_json_is_registered_from_a_file_and_from_standard_input(tw: Commands) -> None:
    text = json.dumps({"mcpServers": {"a": {"command": "x"}, "b": {"url": "https://b.example"}}})
    (tw.project / "servers.json").write_text(text, encoding="utf-8")
    ran = tw.ok("servers", "add", "--from", "servers.json", "--json")
    assert [(server["name"], server["transport"]) for server in ran.json] == [
        ("a", "stdio"),
        ("b", "http"),
    ]
    assert ran.json[0]["foundIn"] == str(tw.project / "servers.json")
    one = tw("servers", "add", "c", "--from", "-", input='{"command": "x", "args": ["y"]}')
    assert (one.code, one.out) == (0, "Added 'c'. Next: `toolweave servers approve c`.\n")


def test_what_is_odd_about_pasted_json_is_said(tw: Commands) -> None:
    text = '{"mcpServers": {"a": {"command": "x", "env": {"N": 5}}}}'
    ran = tw("servers", "add", "--from", "-", input=text)
    assert ran.code == 0
    assert "! /mcpServers/a/env/N: " in ran.err
    assert "[SERVER_VALUE_CONVERTED]" in ran.err


def test_pasted_json_that_cannot_be_used_names_every_problem(tw: Commands) -> None:
    text = '{"mcpServers": {"a": {"command": 1}, "b": {"url": "gopher://x"}}}'
    ran = tw("servers", "add", "--from", "-", input=text)
    assert ran.code == 1
    assert "[SERVER_DEFINITION_INVALID]" in ran.err
    assert "/mcpServers/a/command" in ran.err
    assert "/mcpServers/b/url" in ran.err
    assert tw("servers", "list", "--json").json == []


def test_a_name_that_is_taken_is_refused(tw: Commands) -> None:
    tw.ok("servers", "add", "a", "--", "x")
    ran = tw("servers", "add", "a", "--", "y")
    assert ran.code == 1
    assert "[SERVER_NAME_TAKEN]" in ran.err


def test_adding_the_same_definition_again_changes_nothing(tw: Commands) -> None:
    tw.ok("servers", "add", "a", "--", "x")
    before = tw.ok("servers", "list", "--json").json
    ran = tw.ok("servers", "add", "a", "--", "x")
    assert ran.out == "'a' is already registered with this definition; nothing changed.\n"
    [server] = tw.ok("servers", "add", "a", "--json", "--", "x").json
    assert server["name"] == "a"
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}'
    added = tw("servers", "add", "--from", "-", input=text)
    assert added.out.splitlines()[1].startswith("Added 'b'.")
    assert tw.ok("servers", "list", "--json").json[:1] == before


def test_a_taken_name_keeps_the_whole_file_out(tw: Commands) -> None:
    tw.ok("servers", "add", "b", "--", "x")
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}'
    ran = tw("servers", "add", "--from", "-", input=text)
    assert ran.code == 1
    assert "'b'; nothing was added" in ran.err
    assert [server["name"] for server in tw.ok("servers", "list", "--json").json] == ["b"]


def test_a_name_with_blanks_is_quoted_in_the_next_step(tw: Commands) -> None:
    ran = tw.ok("servers", "add", "my server", "--", "x")
    assert "`toolweave servers approve 'my server'`" in ran.out


@pytest.mark.parametrize("name", ["bad\x1b[31m", " x", "x" * 129])
def test_a_name_nobody_could_type_is_refused(tw: Commands, name: str) -> None:
    ran = tw("servers", "add", name, "--", "x")
    assert ran.code == 1
    assert "[SERVER_NAME_INVALID]" in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("x",), "exactly one of"),
        (("x", "https://a.example", "--", "y"), "exactly one of"),
        (("x", "https://a.example", "--image", "y"), "exactly one of"),
        (("--", "x"), "needs a name"),
        (("x", "npx"), "use `toolweave servers add x -- npx …`"),
        (("x", "-e", "TOKEN", "--", "y"), "--env takes K=V"),
        (("x", "https://a.example", "-H", "=v"), "--header takes K=V"),
        (("x", "--image", "y", "--port", "http=80"), "--port takes CONTAINER=HOST"),
        (("x", "--image", "y", "--port", "80=70000"), "--port takes CONTAINER=HOST"),
        (("x", "--image", "y", "--pids", "1"), "--pids"),
        (("--from", "nowhere.json"), "'nowhere.json' cannot be read: No such file"),
        (("x", "-H", "A=b", "--", "y"), "--header cannot be used here; it applies to a URL"),
        (("x", "https://a.example", "-e", "A=b"), "--env cannot be used here"),
        (("x", "--no-network", "--", "y"), "it applies to --sandbox or --image"),
        (("x", "--writable", "d", "--", "y"), "it applies to --sandbox"),
        (("--from", "f", "--oauth"), "--oauth cannot be used here"),
    ],
)
def test_wrong_use_says_what_is_right(tw: Commands, argv: tuple[str, ...], told: str) -> None:
    ran = tw("servers", "add", *argv)
    assert (ran.code, ran.out) == (2, "")
    assert told in " ".join(ran.err.split())


def test_a_file_that_is_not_text_is_refused(tw: Commands) -> None:
    (tw.project / "x.json").write_bytes(b"\xff\xfe")
    ran = tw("servers", "add", "--from", "x.json")
    assert ran.code == 2
    assert "it is not UTF-8" in ran.err


def _scripted(folder: Path, *, executable: bool) -> None:
    """Put a server into `folder`: `server.py`."""
    shutil.copy(HERE / "stdio" / "wellbehaved.py", folder)
    script = folder / "server.py"
    first = f"#!{sys.executable}\n" if executable else ""
    script.write_text(f"{first}from wellbehaved import Server\nServer().run()\n", encoding="utf-8")
    script.chmod(0o700)


@pytest.mark.parametrize("argv", [("./server.py",), (sys.executable, "server.py")])
def test_a_command_added_in_its_directory_starts_there_from_anywhere(
    tw: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    _scripted(tw.project, executable=True)
    tw.ok("servers", "add", "mine", "--", *argv)
    monkeypatch.chdir(tmp_path)
    shown = tw("servers", "approve", "mine", "--json").json
    assert (shown["argv"], shown["directory"]) == ([*argv], str(tw.project))
    tw.ok("servers", "approve", "mine", "--yes")
    assert tw.ok("call", "mine", "echo", "--arg", "text=hi").out == "hi\n"


def test_a_pasted_file_is_meant_from_where_it_lies(
    tw: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _scripted(tw.project, executable=False)
    pasted = {"mine": {"command": sys.executable, "args": ["./server.py"]}}
    (tw.project / "servers.json").write_text(json.dumps(pasted), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    tw.ok("servers", "add", "--from", str(tw.project / "servers.json"))
    assert _facts(tw, "mine")["directory"] == str(tw.project)
    tw.ok("servers", "approve", "mine", "--yes")
    assert tw.ok("call", "mine", "echo", "--arg", "text=hi").out == "hi\n"


def test_another_directory_needs_another_approval(tw: Commands, tmp_path: Path) -> None:
    hashes: list[object] = []
    for folder in (".", str(tmp_path)):
        tw.ok("servers", "add", "mine", "--cwd", folder, "--", "env")
        facts = _facts(tw, "mine")
        assert facts["directory"] == str(tw.project / folder)
        hashes.append(facts["hash"])
        tw.ok("servers", "remove", "mine")
    assert hashes[0] != hashes[1]


def test_a_company_signs_in_by_its_identity_provider(tw: Commands) -> None:
    given = {
        "--client-id": "toolweave",
        "--client-secret": "${vault:secret}",
        "--issuer": "https://auth.example",
        "--identity-provider": "https://idp.example",
        "--identity-client-id": "desk",
        "--identity-token": "${vault:ada}",
    }
    base = ("servers", "add", "company", "https://mcp.example/mcp")

    def words(**without: str) -> tuple[str, ...]:
        kept = {
            **given,
            **{f"--{name.replace('_', '-')}": value for name, value in without.items()},
        }
        return (*base, *(part for pair in kept.items() if pair[1] for part in pair))

    tw.ok(*words())
    shown = str(_facts(tw, "company"))
    assert "by https://idp.example as desk" in shown
    for wrong in (
        words(identity_token=""),
        words(identity_provider=""),
        words(identity_provider="http://idp.example"),
        words(issuer=""),
        words(identity_token="eyJhbGciOi"),
        (*words(), "--client-credentials"),
    ):
        refused = tw(*wrong)
        assert refused.code == 2, refused
        assert "eyJhbGciOi" not in refused.err
