"""ACTION.HTTP_REQUEST against real peers: what goes out, what comes back, what is refused."""

import gzip
from collections.abc import Callable

import anyio
import pytest
from tests.network.wire import dialling, http, json_answer, peer
from tests.nodes.action.trying import code_of, field, run, secret_texts, web

from toolweave.catalog.resources.record import Resources
from toolweave.errors import Denied, Invalid, NotFound, TimedOut, ToolweaveError, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.action.http_request import node
from toolweave.resources.http import NodeHttpClient

pytestmark = pytest.mark.anyio

OK = json_answer(b'{"ok": true}')


async def send(client: NodeHttpClient, config: JsonObject, **inputs: Json) -> JsonObject:
    with anyio.fail_after(60):
        return await run(node, {"method": "GET", **config}, Resources(http=client), **inputs)


def head_of(request: bytes) -> tuple[str, dict[str, str], bytes]:
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    named = (line.partition(": ") for line in lines)
    return first, {name.lower(): value for name, _, value in named}, body


@pytest.mark.exercises(
    "ACTION.HTTP_REQUEST.method=GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS",
    "ACTION.HTTP_REQUEST.inputs.body",
)
@pytest.mark.parametrize("method", field(node, "method").options)
async def test_each_method_is_sent_with_a_body_where_it_has_one(method: str) -> None:
    async with peer(http(200, b"" if method == "HEAD" else b"[1]")) as server, web() as client:
        found = await send(client, {"method": method, "url": server.url}, body={"a": 1})
    first, headers, body = head_of(server.heads[0])
    assert first == f"{method} /mcp HTTP/1.1"
    assert body == (b"" if method in {"GET", "HEAD"} else b'{"a":1}')
    assert ("idempotency-key" in headers) == (method not in {"GET", "HEAD", "OPTIONS"})
    assert found["status_code"] == 200
    assert found["success"] is True
    assert found["error_message"] == ""
    assert found["url"] == server.url
    assert found["redirects"] == []
    assert found["json"] == (None if method == "HEAD" else [1])


BODIES: list[tuple[str, Json, bytes, str | None]] = [
    ("json", {"a": [1, None, "é"]}, '{"a":[1,null,"é"]}'.encode(), "application/json"),
    ("json", "text", b'"text"', "application/json"),
    ("json", None, b"", None),
    (
        "form",
        {"q": "a b&c", "n": 2, "t": True, "l": ["x", "y"], "no": None},
        b"q=a+b%26c&n=2&t=true&l=x&l=y",
        "application/x-www-form-urlencoded",
    ),
    ("raw", "plain", b"plain", "text/plain; charset=utf-8"),
    ("raw", {"text": "<a/>", "content_type": "text/xml"}, b"<a/>", "text/xml"),
    ("none", {"a": 1}, b"", None),
]


@pytest.mark.exercises("ACTION.HTTP_REQUEST.body_type=json|form|raw|none")
@pytest.mark.parametrize(("body_type", "body", "sent", "kind"), BODIES, ids=str)
async def test_each_body_type_is_sent_as_it_says(
    body_type: str, body: Json, sent: bytes, kind: str | None
) -> None:
    async with peer(OK) as server, web() as client:
        config: JsonObject = {"method": "POST", "url": server.url, "body_type": body_type}
        await send(client, config, body=body)
    _, headers, got = head_of(server.heads[0])
    assert got == sent
    assert headers.get("content-type") == kind
    assert {body_type for body_type, *_ in BODIES} == set(field(node, "body_type").options)


@pytest.mark.parametrize(
    ("body_type", "body"),
    [("form", [1]), ("form", {"a": {"b": 1}}), ("raw", 7), ("raw", {"content_type": "text/xml"})],
)
async def test_a_body_that_is_not_what_its_type_says_is_refused(body_type: str, body: Json) -> None:
    async with web() as client:
        config: JsonObject = {"method": "POST", "url": "http://127.0.0.1:9/"}
        with pytest.raises(Invalid) as caught:
            await send(client, {**config, "body_type": body_type}, body=body)
    assert code_of(caught) in {"HTTP_BODY_INVALID", "HTTP_VALUE_INVALID"}


async def test_a_redirect_to_nowhere_is_a_fault_of_the_other_side() -> None:
    async with peer(moves("http://example.com:port/")) as server, web() as client:
        with pytest.raises(Unavailable) as caught:
            await send(client, {"url": server.url})
    assert code_of(caught) == "HTTP_PROTOCOL"


async def test_an_own_content_type_wins() -> None:
    async with peer(OK) as server, web() as client:
        headers: JsonObject = {"Content-Type": "application/vnd.x+json"}
        config: JsonObject = {"method": "PUT", "url": server.url, "headers": headers}
        await send(client, config, body=1)
    assert head_of(server.heads[0])[1]["content-type"] == "application/vnd.x+json"


@pytest.mark.exercises(
    "ACTION.HTTP_REQUEST.url",
    "ACTION.HTTP_REQUEST.headers",
    "ACTION.HTTP_REQUEST.query_params",
    "ACTION.HTTP_REQUEST.inputs.url_variables",
    "ACTION.HTTP_REQUEST.inputs.dynamic_headers",
    "ACTION.HTTP_REQUEST.inputs.dynamic_query_params",
)
async def test_variables_headers_and_query_values_are_put_together() -> None:
    async with peer(OK) as server, web() as client:
        url = f"http://127.0.0.1:{server.port}/u/{{{{ user }}}}/{{part}}/{{left}}?a=1"
        config: JsonObject = {
            "url": url,
            "headers": {"X-One": "1", "X-Two": "2", "X-Gone": "3", "User-Agent": "mine"},
            "query_params": {"tag": ["a", "b c"], "page": 1, "no": None},
        }
        found = await send(
            client,
            config,
            url_variables={"user": "a/../b?c#d", "part": 7},
            dynamic_headers={"x-two": 22, "x-gone": None},
            dynamic_query_params={"page": 2, "on": True},
        )
    first, headers, _ = head_of(server.heads[0])
    target = "/u/a%2F..%2Fb%3Fc%23d/7/%7Bleft%7D?a=1&tag=a&tag=b+c&page=2&on=true"
    assert first == f"GET {target} HTTP/1.1"
    assert (headers["x-one"], headers["x-two"], headers["user-agent"]) == ("1", "22", "mine")
    assert "x-gone" not in headers
    assert found["url"] == f"http://127.0.0.1:{server.port}{target}"


@pytest.mark.parametrize("value", ["..", ".", "", None, {"a": 1}, [1]], ids=str)
async def test_a_variable_cannot_change_the_path_around_it(value: Json) -> None:
    async with web() as client:
        config: JsonObject = {"url": "http://127.0.0.1:9/a/{{ x }}/b"}
        with pytest.raises(Invalid) as caught:
            await send(client, config, url_variables={"x": value})
    assert code_of(caught) in {"HTTP_URL_INVALID", "HTTP_VALUE_INVALID"}


async def test_a_variable_without_a_value_is_named() -> None:
    async with web() as client:
        with pytest.raises(Invalid, match="'user'"):
            await send(client, {"url": "http://127.0.0.1:9/{{ user }}"})


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "404 Not Found"), (500, "500 Internal Server Error"), (799, "799")]
)
async def test_an_error_status_is_an_outcome(status: int, reason: str) -> None:
    async with peer(json_answer(b'{"why": 1}', status)) as server, web() as client:
        found = await send(client, {"url": server.url})
    assert found["success"] is False
    assert found["status_code"] == status
    assert found["error_message"] == reason
    assert found["json"] == {"why": 1}


ANSWERS: list[tuple[str, bytes, str, Json]] = [
    ("text/plain", b"caf\xc3\xa9", "café", None),
    ("text/plain; charset=ISO-8859-1", b"caf\xe9", "café", None),
    ('text/plain; charset="utf-16-le"', "é".encode("utf-16-le"), "é", None),
    ("text/plain; charset=punycode", b"abc", "abc", None),
    ("text/plain; charset=iso-8859-99", b"abc", "abc", None),
    ("text/plain", b"\xff\xfe", "\ufffd\ufffd", None),
    ("application/problem+json", b'{"a":1}', '{"a":1}', {"a": 1}),
    ("application/json", b"7", "7", 7),
    ("text/plain", b" [1]", " [1]", [1]),
    ("application/json", b"{broken", "{broken", None),
    ("application/json", b'{"a":1,"a":2}', '{"a":1,"a":2}', None),
    ("application/json", b"[" * 9999, "[" * 9999, None),
    ("application/json", b"", "", None),
]


@pytest.mark.parametrize(("kind", "sent", "text", "value"), ANSWERS, ids=lambda one: str(one)[:30])
async def test_a_body_is_given_as_text_and_as_json(
    kind: str, sent: bytes, text: str, value: Json
) -> None:
    async with peer(http(200, sent, content_type=kind)) as server, web() as client:
        found = await send(client, {"url": server.url})
    assert found["body"] == text
    assert found["json"] == value
    assert found["headers"] == {"connection": "close", "content-type": kind}
    assert isinstance(found["response_time"], float)


async def test_a_large_packed_answer_is_unpacked_and_read() -> None:
    text = b'["' + b"a" * 1_000_000 + b'"]'
    packed = http(200, gzip.compress(text), content_encoding="gzip")
    async with peer(packed) as server, web() as client:
        found = await send(client, {"url": server.url})
    assert found["json"] == ["a" * 1_000_000]


def moves(*targets: str, status: int = 302) -> Callable[[bytes], bytes]:
    """Redirects from `/mcp` along the targets, then answers."""
    left = list(targets)

    def answer(_request: bytes) -> bytes:
        return http(status, location=left.pop(0)) if left else OK

    return answer


@pytest.mark.parametrize(
    ("status", "method", "becomes"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"),
        (302, "PUT", "PUT"),
        (307, "POST", "POST"),
        (308, "PATCH", "PATCH"),
    ],
)
async def test_a_redirect_is_followed_by_the_rules(status: int, method: str, becomes: str) -> None:
    async with peer(moves("/b?x=1", status=status)) as server, web() as client:
        headers: JsonObject = {"Authorization": "Bearer t"}
        config: JsonObject = {"method": method, "url": server.url, "headers": headers}
        found = await send(client, config, body={"a": 1})
    first, got, body = head_of(server.heads[1])
    assert first == f"{becomes} /b?x=1 HTTP/1.1"
    assert body == (b"" if becomes in {"GET", "HEAD"} else b'{"a":1}')
    assert ("content-type" in got) == (body != b"")
    assert got["authorization"] == "Bearer t"
    assert found["redirects"] == [server.url]
    assert found["url"] == f"http://127.0.0.1:{server.port}/b?x=1"


async def test_secrets_do_not_follow_to_another_origin() -> None:
    async with peer(OK) as other, peer(moves(other.url)) as server, web() as client:
        headers: JsonObject = {"Authorization": "Bearer t", "Cookie": "c"}
        headers |= {"X-Api-Key": "k", "X-Plain": "p"}
        await send(client, {"url": server.url, "headers": headers})
    _, got, _ = head_of(other.heads[0])
    assert got["x-plain"] == "p"
    assert not {"authorization", "cookie", "x-api-key"} & got.keys()


@pytest.mark.exercises("ACTION.HTTP_REQUEST.follow_redirects")
async def test_a_redirect_is_an_answer_where_none_is_followed() -> None:
    async with peer(moves("/b")) as server, web() as client:
        found = await send(client, {"url": server.url, "follow_redirects": False})
    assert found["status_code"] == 302
    assert found["success"] is False
    assert len(server.heads) == 1


@pytest.mark.exercises("ACTION.HTTP_REQUEST.max_redirects")
@pytest.mark.parametrize("most", [0, 1, 3])
async def test_redirects_end_where_they_must(most: int) -> None:
    async with peer(moves(*["/again"] * 9)) as server, web() as client:
        with pytest.raises(Invalid) as caught:
            await send(client, {"url": server.url, "max_redirects": most})
    assert code_of(caught) == "HTTP_REDIRECTS"
    assert len(server.heads) == most + 1


DENIED_TARGETS = [
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:169.254.169.254]/",
    "http://0.0.0.0/",
    "http://2130706433/",
    "http://0x7f.1/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "http://[fe80::1]/",
]


@pytest.mark.parametrize("target", DENIED_TARGETS)
async def test_a_redirect_to_a_forbidden_address_is_not_followed(target: str) -> None:
    async with peer(moves(target)) as server, web() as client:
        with dialling() as dialled, pytest.raises(Denied) as caught:
            await send(client, {"url": server.url})
    assert code_of(caught) == "HTTP_ADDRESS_DENIED"
    assert dialled == [("127.0.0.1", server.port)]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "192.168.1.1", "router", "x.internal"]
)
async def test_private_and_local_addresses_are_refused_by_default(host: str) -> None:
    async with peer(OK) as server, web(allow_private=False) as client:
        with dialling() as dialled, pytest.raises(Denied) as caught:
            await send(client, {"url": f"http://{host}:{server.port}/"})
    assert code_of(caught) == "HTTP_ADDRESS_DENIED"
    assert "TOOLWEAVE_ALLOW_PRIVATE_HTTP" in (caught.value.hint or "")
    assert dialled == []


@pytest.mark.parametrize("allow_private", [True, False])
async def test_a_public_name_at_a_local_address_is_refused_always(allow_private: bool) -> None:
    async def resolve(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    async with peer(OK) as server:
        client = NodeHttpClient(secret_texts(), allow_private=allow_private, resolve=resolve)
        with dialling() as dialled, pytest.raises(Denied):
            await send(client, {"url": f"http://rebound.example.com:{server.port}/"})
        await client.aclose()
    assert dialled == []


URLS = [
    *("", "example.com", "//x", "ftp://x/", "http://", "http://u:p@example.com/", "http://a b/"),
    *("javascript:alert(1)", "http://example.com:99999/", "\x00", "http://exa\nmple.com/"),
]


@pytest.mark.parametrize("url", URLS)
async def test_what_is_no_web_address_is_refused(url: str) -> None:
    async with web() as client:
        with dialling() as dialled, pytest.raises(ToolweaveError) as caught:
            await send(client, {"url": url})
    assert code_of(caught) in {"HTTP_URL_INVALID", "HTTP_ADDRESS_DENIED"}
    assert dialled == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-A", "a\r\nX-B: b"),
        ("X-A", "a\nb"),
        ("X-A", "a\0b"),
        ("X-A", "é"),
        ("X-A\r\nX-B", "b"),
        ("X A", "b"),
        ("", "b"),
        ("Host", "evil.example.com"),
        ("Content-Length", "0"),
        ("Transfer-Encoding", "chunked"),
    ],
)
async def test_a_header_that_breaks_out_of_its_line_is_refused(name: str, value: str) -> None:
    async with peer(OK) as server, web() as client:
        bad: JsonObject = {name: value}
        none: JsonObject = {}
        for configured, dynamic in ((bad, none), (none, bad)):
            config: JsonObject = {"url": server.url, "headers": configured}
            with dialling() as dialled, pytest.raises(Invalid) as caught:
                await send(client, config, dynamic_headers=dynamic)
            assert code_of(caught) == "HTTP_HEADER_INVALID"
            assert dialled == []


@pytest.mark.parametrize("kind", ["text/plain", "text/event-stream"])
async def test_a_huge_body_is_cut_off(kind: str) -> None:
    huge = http(200, b"x" * 3_000_000, content_type=kind)
    async with peer(huge) as server:
        client = NodeHttpClient(secret_texts(), allow_private=True, max_body_bytes=1_000_000)
        with pytest.raises(Invalid) as caught:
            await send(client, {"url": server.url})
        await client.aclose()
    assert code_of(caught) == "HTTP_BODY_TOO_LARGE"


async def test_a_packed_bomb_is_cut_off() -> None:
    bomb = http(200, gzip.compress(b"\0" * 40_000_000), content_encoding="gzip")
    async with peer(bomb) as server, web() as client:
        with pytest.raises(Invalid) as caught:
            await send(client, {"url": server.url})
    assert code_of(caught) == "HTTP_BODY_TOO_LARGE"


async def test_a_silent_peer_is_given_up_on() -> None:
    async with peer(None) as server, web() as client:
        with pytest.raises(TimedOut) as caught:
            await send(client, {"url": server.url, "timeout": 0.2})
    assert code_of(caught) == "HTTP_TIMED_OUT"


@pytest.mark.parametrize("said", [b"HTTP/9 nonsense\r\n\r\n", b"\x00\x01", b""])
async def test_what_is_no_http_may_pass(said: bytes) -> None:
    async with peer(said) as server, web() as client:
        with pytest.raises(Unavailable) as caught:
            await send(client, {"url": server.url})
    assert code_of(caught) in {"HTTP_PROTOCOL", "HTTP_UNREACHABLE"}


async def test_nobody_there_may_pass() -> None:
    async with peer(OK) as server:
        url = server.url
    async with web() as client:
        with pytest.raises(Unavailable) as caught:
            await send(client, {"url": url})
    assert code_of(caught) == "HTTP_UNREACHABLE"


async def test_a_secret_is_sent_and_never_comes_back() -> None:
    def echo(request: bytes) -> bytes:
        return http(200, request, x_echo="secret-123456")

    async with peer(echo) as server, web(api_token="secret-123456") as client:
        config: JsonObject = {
            "url": server.url,
            "headers": {"Authorization": "Bearer ${vault:api-token}"},
            "query_params": {"key": "${vault:api-token}"},
        }
        found = await send(client, config)
    first, headers, _ = head_of(server.heads[0])
    assert headers["authorization"] == "Bearer secret-123456"
    assert first == "GET /mcp?key=secret-123456 HTTP/1.1"
    assert "secret-123456" not in str(found)
    assert "Bearer ***" in str(found["body"])


async def test_a_reference_in_what_comes_in_is_not_filled() -> None:
    async with peer(OK) as server, web(api_token="secret-123456") as client:
        asking: JsonObject = {"x": "${vault:api-token}"}
        for name in ("dynamic_headers", "dynamic_query_params"):
            with pytest.raises(Invalid) as caught:
                await send(client, {"url": server.url}, **{name: asking})
            assert code_of(caught) == "HTTP_VALUE_INVALID"
        config: JsonObject = {"method": "POST", "url": server.url, "body_type": "raw"}
        await send(client, config, body="${vault:api-token} ${HOME}")
    assert head_of(server.heads[0])[2] == b"${vault:api-token} ${HOME}"


async def test_variables_of_our_environment_are_never_sent() -> None:
    async with peer(OK) as server, web() as client:
        headers: JsonObject = {"X-A": "${HOME} ${env:PATH} ${input:x}"}
        await send(client, {"url": server.url, "headers": headers})
    assert head_of(server.heads[0])[1]["x-a"] == "${HOME} ${env:PATH} ${input:x}"


async def test_a_secret_that_is_not_there_is_named() -> None:
    async with web() as client:
        headers: JsonObject = {"X-A": "${vault:gone}"}
        with pytest.raises(NotFound) as caught:
            await send(client, {"url": "http://127.0.0.1:9/", "headers": headers})
    assert code_of(caught) == "SECRET_NOT_FOUND"


async def test_cookies_are_not_kept_for_the_next_request() -> None:
    async with peer(http(200, set_cookie="a=b")) as server, web() as client:
        await send(client, {"url": server.url})
        await send(client, {"url": server.url})
    assert "cookie" not in head_of(server.heads[1])[1]


async def test_the_key_is_the_same_for_every_try_and_an_own_one_wins() -> None:
    async with peer(OK) as server, web() as client:
        config: JsonObject = {"method": "POST", "url": server.url}
        for _ in range(2):
            await send(client, config, body=1)
        await send(client, {**config, "headers": {"Idempotency-Key": "own"}}, body=1)
    first, second, own = [head_of(one)[1]["idempotency-key"] for one in server.heads]
    assert first == second != own == "own"
    assert "run-1" not in first


@pytest.mark.parametrize(
    ("method", "effect"),
    [
        *((method, "keyed") for method in ("GET", "HEAD", "OPTIONS", "PUT", "DELETE")),
        *((method, "once") for method in ("POST", "PATCH", "{{ data.method }}")),
    ],
)
async def test_the_effect_follows_the_method(method: str, effect: str) -> None:
    assert node.effect_of({"method": method}) == effect
    assert node.effect_of({"method": method, "headers": {"idempotency-key": "x"}}) == "keyed"
