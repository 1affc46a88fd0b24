"""Words: quotes of every kind, what is never closed, and names."""

import pytest

from toolweave.cel.tokens import RESERVED, Token, is_name, tokens


def words(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a.b >= 1.5e3", ["a", ".", "b", ">=", "1.5e3"]),
        ("x===y!==z", ["x", "===", "y", "!==", "z"]),
        ("a ?. b ?? c.?d[?0]", ["a", "?.", "b", "??", "c", ".?", "d", "[?", "0", "]"]),
        ("'it\\'s' \"a\\\"b\"", ["'it\\'s'", '"a\\"b"']),
        ("r'\\' + x", ["r'\\'", "+", "x"]),
        ("b'a' bR'c\\' Rb\"d\"", ["b'a'", "bR'c\\'", 'Rb"d"']),
        ("'''a 'b'\n c''' x", ["'''a 'b'\n c'''", "x"]),
        ('"""a"b""" r"""\\"""', ['"""a"b"""', 'r"""\\"""']),
        ("a // b 'c\n d", ["a", "d"]),
        ("`a ${b}` c", ["`a ${b}`", "c"]),
        ("0x1F 5u .5 1..2", ["0x1F", "5u", ".5", "1", ".", ".2"]),
        ("$json é", ["$json", "é"]),
        ("'open\nnext", ["'open", "next"]),
        ("'''open\nnext", ["'''open\nnext"]),
        ("`open", ["`open"]),
    ],
)
def test_a_text_falls_into_words(text: str, found: list[str]) -> None:
    assert words(text) == found


def test_a_word_knows_its_kind_and_place() -> None:
    assert list(tokens("  ab 'c' 1 + # `t`")) == [
        Token("name", "ab", 2),
        Token("text", "'c'", 5),
        Token("number", "1", 9),
        Token("operator", "+", 11),
        Token("other", "#", 13),
        Token("template", "`t`", 15),
    ]
    assert next(tokens("xx ab", 3)) == Token("name", "ab", 3)
    assert next(tokens("xx ab", 3)).end == 5


@pytest.mark.parametrize("piece", ["'\\", "`\\", "'''", "'''\\", '"""', "r'", "'\n", "1.", "//"])
def test_every_character_is_looked_at_once(piece: str) -> None:
    short, long = (sum(1 for _ in tokens(piece * times)) for times in (1_000, 50_000))
    assert long <= 60 * max(short, 1)


def test_names_are_those_that_may_follow_a_dot() -> None:
    assert all(map(is_name, ["a", "_b", "c1", "if"]))
    assert not any(map(is_name, ["", "1a", "a-b", "a b", "é", "in", "true", "null"]))
    assert {"if", "in", "for"} <= RESERVED
