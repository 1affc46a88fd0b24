"""What a person pastes or types becomes a definition, or a list of what is wrong."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolweave.errors import Invalid
from toolweave.servers.definition import CommandServer, ContainerServer, HttpServer, SseServer
from toolweave.servers.user_definitions import (
    anchored,
    from_command_line,
    from_image,
    from_url,
    read_pasted,
)

TIME = '{"command": "uvx", "args": ["mcp-server-time"]}'


@pytest.mark.parametrize(
    "text",
    [
        f'{{"mcpServers": {{"time": {TIME}}}}}',
        f'{{"servers": {{"time": {TIME}}}, "inputs": []}}',
        f'{{"time": {TIME}}}',
        f'// from the README\n{{"mcpServers": {{"time": {TIME},}}, /* that is all */}}',
    ],
)
def test_every_usual_shape_is_read(text: str) -> None:
    expected = CommandServer(command="uvx", args=("mcp-server-time",))
    assert read_pasted(text) == ([("time", expected)], [])


def test_one_entry_needs_a_name() -> None:
    assert read_pasted(TIME, name="time")[0][0][0] == "time"
    servers, problems = read_pasted(TIME)
    assert (servers, [problem.code for problem in problems]) == ([], ["SERVER_NAME_MISSING"])


def test_one_entry_with_a_wrong_name_or_a_fault_is_not_read() -> None:
    assert [p.code for p in read_pasted(TIME, name=" ")[1]] == ["SERVER_NAME_INVALID"]
    servers, problems = read_pasted('{"type": "ws"}', name="a")
    assert (servers, [p.code for p in problems]) == ([], ["SERVER_TYPE_UNKNOWN"])


def test_a_server_may_be_called_command() -> None:
    servers, problems = read_pasted(f'{{"command": {TIME}}}')
    assert ([name for name, _ in servers], problems) == (["command"], [])


def test_good_entries_are_read_beside_bad_ones() -> None:
    text = f'{{"mcpServers": {{"a/b": {{"command": 1}}, "time": {TIME}, "": {TIME}}}}}'
    servers, problems = read_pasted(text)

    assert [name for name, _ in servers] == ["time"]
    assert [(problem.code, problem.pointer) for problem in problems] == [
        ("SERVER_ENTRY_INVALID", "/mcpServers/a~1b/command"),
        ("SERVER_NAME_INVALID", "/mcpServers/"),
    ]


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("", "JSON_INVALID", ""),
        ("npx -y server", "JSON_INVALID", ""),
        ('{"a": 1, "a": 2}', "JSON_INVALID", ""),
        ('"' + "x" * 2_000_000 + '"', "JSON_INVALID", ""),
        ("[" * 5000, "JSON_INVALID", ""),
        ("[]", "SERVER_ENTRY_INVALID", ""),
        ("{}", "SERVER_ENTRY_MISSING", ""),
        ('{"mcpServers": {}}', "SERVER_ENTRY_MISSING", "/mcpServers"),
        ('{"servers": []}', "SERVER_ENTRY_MISSING", "/servers"),
        ('{"a": "b"}', "SERVER_ENTRY_INVALID", "/a"),
    ],
)
def test_text_without_servers_is_one_problem(text: str, code: str, at: str) -> None:
    servers, problems = read_pasted(text)
    assert (servers, [(p.code, p.pointer) for p in problems]) == ([], [(code, at)])


def test_a_person_may_refer_to_the_vault() -> None:
    text = '{"a": {"url": "https://a.test", "headers": {"X": "${vault:key}"}}}'
    assert read_pasted(text) == (
        [("a", HttpServer(url="https://a.test", headers={"X": "${vault:key}"}))],
        [],
    )


@given(st.text() | st.text(alphabet='{}[]",:/* \\acmdnou'))
def test_no_text_makes_reading_fail(text: str) -> None:
    servers, problems = read_pasted(text)
    assert servers or problems


def test_a_command_line_is_kept_word_by_word() -> None:
    argv = ["npx", "-y", "server; rm -rf $HOME", ""]
    assert from_command_line(argv, {"A": "${vault:a}"}, "~/x") == CommandServer(
        command="npx", args=tuple(argv[1:]), env={"A": "${vault:a}"}, cwd="~/x"
    )


@pytest.mark.parametrize(
    ("argv", "env", "code", "at"),
    [
        ([], {}, "SERVER_COMMAND_MISSING", "/command"),
        ([""], {}, "SERVER_COMMAND_MISSING", "/command"),
        (["x\0"], {}, "SERVER_ENTRY_INVALID", "/command"),
        (["x", "\0"], {}, "SERVER_ENTRY_INVALID", "/args/0"),
        (["x"], {"A": "\0"}, "SERVER_ENTRY_INVALID", "/env/A"),
        (["x"], {"A=": "b"}, "SERVER_ENVIRONMENT_INVALID", "/env/A="),
    ],
)
def test_a_command_line_that_cannot_start_is_refused(
    argv: list[str], env: dict[str, str], code: str, at: str
) -> None:
    with pytest.raises(Invalid) as caught:
        from_command_line(argv, env)

    assert caught.value.code == code
    assert [problem["pointer"] for problem in caught.value.as_json()["problems"]] == [at]


def test_an_address_becomes_a_server() -> None:
    assert from_url("https://a.test/mcp", {"X": "y"}) == HttpServer(
        url="https://a.test/mcp", headers={"X": "y"}
    )
    assert from_url("http://localhost:1/sse", transport="sse") == SseServer(
        url="http://localhost:1/sse"
    )


@pytest.mark.parametrize(
    ("url", "headers", "code"),
    [
        ("ftp://a.test", {}, "SERVER_URL_INVALID"),
        ("a.test", {}, "SERVER_URL_INVALID"),
        ("", {}, "SERVER_URL_INVALID"),
        ("https://a.test", {"X": "a\nb"}, "SERVER_HEADER_INVALID"),
        ("https://a.test", {"": "a"}, "SERVER_HEADER_INVALID"),
    ],
)
def test_an_address_that_cannot_be_called_is_refused(
    url: str, headers: dict[str, str], code: str
) -> None:
    with pytest.raises(Invalid) as caught:
        from_url(url, headers)

    assert caught.value.code == code


def test_a_password_in_an_address_is_refused_with_advice_and_not_repeated() -> None:
    with pytest.raises(Invalid) as caught:
        from_url("https://ada:hunter2@a.test/mcp")

    assert caught.value.code == "SERVER_URL_CREDENTIALS"
    assert "${vault:" in (caught.value.hint or "")
    assert "hunter2" not in str(caught.value.as_json())


def test_an_image_becomes_a_container() -> None:
    digest = "ghcr.io/acme/Time_server:1.2@sha256:" + "0" * 64
    assert from_image(digest, command=["--utc"], env={"A": "b"}, network=False) == ContainerServer(
        image=digest, command=("--utc",), env={"A": "b"}, network=False
    )


@pytest.mark.parametrize("image", ["", "--privileged", "a b", "a\n", "../a", "a;b", "\u00e9"])
def test_what_is_no_image_is_refused(image: str) -> None:
    with pytest.raises(Invalid) as caught:
        from_image(image)

    assert caught.value.code == "SERVER_IMAGE_INVALID"


def test_an_image_with_a_wrong_command_is_refused_with_every_fault() -> None:
    with pytest.raises(Invalid) as caught:
        from_image("-x", command=["\0"], env={"": "b"})

    assert [problem["code"] for problem in caught.value.as_json()["problems"]] == [
        "SERVER_IMAGE_INVALID",
        "SERVER_ENTRY_INVALID",
        "SERVER_ENVIRONMENT_INVALID",
    ]


@pytest.mark.parametrize(
    ("words", "is_here"),
    [
        (("bin/server",), True),
        (("./server",), True),
        (("node", "there.js"), True),
        (("node", "../build/index.js"), True),
        (("files", "."), True),
        (("server", "--config=./missing.json"), True),
        (("server", "--config=there.js"), True),
        (("there.js",), False),  # a bare command is looked for on the PATH
        (("npx", "-y", "@scope/server"), False),
        (("server", "--there.js"), False),
        (("server", "https://example.com/there.js", "~/x", "${HOME}/y", "/tmp", ""), False),
        (("/bin/server", "x" * 5000), False),
    ],
)
def test_a_command_that_names_a_place_here_starts_here(
    tmp_path: Path, words: tuple[str, ...], is_here: bool
) -> None:
    (tmp_path / "there.js").touch()
    found = anchored(from_command_line(words), tmp_path)
    assert isinstance(found, CommandServer)
    assert found.cwd == (str(tmp_path) if is_here else None)


@pytest.mark.parametrize(
    ("cwd", "meant"), [("sub", "HERE/sub"), ("/abs", "/abs"), ("~/x", "~/x"), ("${D}", "${D}")]
)
def test_a_directory_given_is_kept_and_a_relative_one_is_meant_from_here(
    cwd: str, meant: str
) -> None:
    found = anchored(from_command_line(["./server"], cwd=cwd), Path("HERE"))
    assert isinstance(found, CommandServer)
    assert found.cwd is not None
    assert Path(found.cwd) == Path(meant)


def test_an_address_has_no_directory() -> None:
    address = from_url("https://example.com/mcp")
    assert anchored(address, Path()) is address
