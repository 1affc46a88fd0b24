"""Whatever is shown goes through the masker: nothing it knows, and nothing named so, comes out."""

import base64
import json
import string
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tools.strategies import steady

from toolweave.access.mask import MASK, Masker, is_sensitive
from toolweave.json_text import Json

SECRET = 'p/ss+w?rd "é"\\1'

# Without `*`, of which the mask is made: a secret could otherwise be put together by it.
letters = st.characters(blacklist_characters="*")
secrets = st.lists(st.text(letters, min_size=6, max_size=40), min_size=1, max_size=5)


@st.composite
def planted(draw: st.DrawFn) -> tuple[list[str], Json]:
    """Secrets, and any JSON with those secrets in it, in plain or encoded, alone or inside text."""
    known = draw(secrets)
    written = [form for secret in known for form in written_forms(secret)]
    pieces = st.one_of(st.sampled_from(written), st.text(letters, max_size=10))
    texts = st.lists(pieces, max_size=4).map("".join)
    leaves = st.one_of(st.none(), st.booleans(), st.integers(), texts)
    trees = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    )
    return known, draw(trees)


def written_forms(secret: str) -> list[str]:
    data = secret.encode("utf-8", "surrogatepass")
    return [
        secret,
        quote(data, safe=""),
        quote_plus(data),
        json.dumps(secret)[1:-1],
        base64.b64encode(data).decode(),
        base64.urlsafe_b64encode(data).decode().rstrip("="),
    ]


def texts_in(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in (key, *texts_in(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts_in(item)]
    return [str(value)]


@steady(150)
@given(planted())
def test_no_known_secret_survives_in_any_form(case: tuple[list[str], Json]) -> None:
    known, value = case
    shown = texts_in(Masker(known).mask_json(value))
    for secret in known:
        for form in written_forms(secret):
            assert not any(form.rstrip("=") in text for text in shown)


@steady(150)
@given(st.text(string.ascii_lowercase + " \n.()", max_size=200))
def test_text_without_secrets_and_telling_names_is_left_alone(text: str) -> None:
    assert Masker(["A-SECRET-VALUE"]).mask_text(text) == text


@steady(150)
@given(st.text(max_size=200))
def test_masking_twice_is_masking_once(text: str) -> None:
    masker = Masker(["secret-value"])
    once = masker.mask_text(text)
    assert masker.mask_text(once) == once


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        quote(SECRET),
        quote_plus(SECRET),
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
    ],
)
def test_a_secret_is_found_in_its_usual_encodings(written: str) -> None:
    shown = Masker([SECRET]).mask_text(f"before {written} after")
    assert MASK in shown
    assert len(shown) < len("before *** after") + 5


@pytest.mark.parametrize("user", ["", "u:", "me:", "root:", "somebody:"])
def test_a_secret_is_found_inside_the_base64_of_more(user: str) -> None:
    basic = base64.b64encode(f"{user}hunter2-hunter2:end".encode()).decode()
    shown = Masker(["hunter2-hunter2"]).mask_text(f"sent {basic}")
    assert MASK in shown
    assert basic[8:20] not in shown


def test_the_lines_of_a_secret_are_found_one_by_one() -> None:
    pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcwggSj\n-----END KEY-----"
    assert Masker([pem]).mask_text("> 9w0BAQEFAASCBKcwggSj") == "> ***"


def test_a_secret_inside_another_is_hidden_with_it() -> None:
    assert Masker(["abcdef", "abcdef-ghijkl"]).mask_text("x abcdef-ghijkl y") == "x *** y"


def test_a_short_secret_is_hidden_by_name_only() -> None:
    masker = Masker(["1234"])
    assert masker.mask_text("room 1234 is free") == "room 1234 is free"
    assert masker.mask_json({"password": "1234", "pin": 1234}) == {
        "password": MASK,
        "pin": MASK,
    }


def test_what_is_learned_later_is_hidden_from_then_on() -> None:
    masker = Masker()
    assert masker.mask_text("opensesame") == "opensesame"
    masker.learn(["opensesame"])
    assert masker.mask_text("opensesame") == MASK
    assert "opensesame" not in repr(masker)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgres://me:p@ss@host/db", "postgres://***@host/db"),
        ("see https://host/a@b", "see https://host/a@b"),
        ("https://h/?q=1&api_key=abc&page=2", "https://h/?q=1&api_key=***&page=2"),
        ("https://h/?key=abc&code=1#top", "https://h/?key=***&code=***"),
        ("https://h/?access_token=abc", "https://h/?access_token=***"),
        ("Authorization: Bearer abc def\nHost: h", "Authorization: ***\nHost: h"),
        ("curl -H 'X-Api-Key: abc' url", "curl -H 'X-Api-Key: ***' url"),
        ("Set-Cookie: a=b; c=d", "Set-Cookie: ***"),
        ('{"token": "a \\" b", "n": 1}', '{"token": "***", "n": 1}'),
        (r'"{\"token\":\"abc\",\"n\":1}"', r'"{\"token\":\"***\",\"n\":1}"'),
        ("GITHUB_TOKEN=abc npx server", "GITHUB_TOKEN=*** npx server"),
        ("password = 'a b' next", "password = '***' next"),
        (f'"secret": "{"x" * 20_000}"', '"secret": "***"'),
        ("max_tokens=100, key: value", "max_tokens=100, key: value"),
    ],
)
def test_text_is_masked_by_name(text: str, shown: str) -> None:
    assert Masker().mask_text(text) == shown


@pytest.mark.parametrize(
    "name",
    [
        "API_KEY", "apiKey", "x-api-key", "OPENAI_KEY", "GITHUB_TOKEN", "accessToken", "password",
        "X-Auth-Token", "PGPASSWORD", "DB_PWD", "client_secret", "AWS_SECRET_ACCESS_KEY", "id_jwt",
        "SSH_PRIVATE_KEY", "Authorization", "Proxy-Authorization", "Cookie", "set-cookie",
        "credentials", "passphrase",
    ],
)  # fmt: skip
def test_a_telling_name_is_sensitive(name: str) -> None:
    assert is_sensitive(name)


@pytest.mark.parametrize(
    "name",
    [
        "key", "keys", "primary_key", "public_key", "idempotencyKey", "pageToken", "max_tokens",
        "next_page_token", "progressToken", "token_count", "token_type", "token_url", "secretName",
        "PWD", "keyboard", "monkey", "author", "path", "42", "_", "",
    ],
)  # fmt: skip
def test_an_ordinary_name_is_not_sensitive(name: str) -> None:
    assert not is_sensitive(name)


def test_json_is_masked_by_name_at_every_depth() -> None:
    value: Json = {
        "headers": {"Authorization": "Bearer x", "Accept": "json"},
        "list": [{"password": 5}, {"token": ["a", {"b": "c"}, None, True, ""]}],
        "tool-pin": "1",
        "n": 1.5,
    }
    assert Masker(names=["Tool-PIN"]).mask_json(value) == {
        "headers": {"Authorization": MASK, "Accept": "json"},
        "list": [{"password": MASK}, {"token": [MASK, {"b": MASK}, None, True, ""]}],
        "tool-pin": MASK,
        "n": 1.5,
    }


def test_a_command_line_is_masked_by_option_variable_and_header() -> None:
    argv = [
        "docker", "run", "-e", "API_KEY=a b", "--token", "abc", "--token=abc def", "--env", "A=1",
        "-H", "Authorization: Bearer a b", "https://u:p@h/", "--password", "--verbose", "known-one",
        "--api-key", "-abc",
    ]  # fmt: skip
    assert Masker(["known-one"]).mask_argv(argv) == [
        "docker", "run", "-e", "API_KEY=***", "--token", "***", "--token=***", "--env", "A=1",
        "-H", "Authorization: ***", "https://***@h/", "--password", "--verbose", "***",
        "--api-key", "***",
    ]  # fmt: skip


@pytest.mark.parametrize("piece", ["a.", "a-", "--a", 'a="', "token='", r"token=\"", "://", "a=:"])
@pytest.mark.timeout(30)
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    text = piece * (2_000_000 // len(piece))
    assert isinstance(Masker(["secret-value"]).mask_text(text), str)
