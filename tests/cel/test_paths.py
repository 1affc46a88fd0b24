"""What an expression reads: paths through members, brackets and macros, with their places."""

import pytest

from toolweave.cel.language import references
from toolweave.cel.paths import EACH, PathReference, quoted, write_path


def read_by(text: str) -> list[str]:
    return [one.text for one in references(text)]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("data.amount", ["data.amount"]),
        ("nodes.fetch.output.items[0].name", ["nodes.fetch.output.items[0].name"]),
        ("nodes['node-2'].output", ["nodes['node-2'].output"]),
        ("data.`a-b`.c", ["data['a-b'].c"]),
        ("data['in']", ["data['in']"]),
        (".data.a", ["data.a"]),
        ("inputs", ["inputs"]),
        ("data.a + data.b * data.a", ["data.a", "data.b"]),
        ("'data.a' + \"data.b\" + r'data.c' // data.d", []),
        ("size(data.a) + data.b.size()", ["data.a", "data.b"]),
        ("[data.a, {'k': data.b, data.c: 1}]", ["data.a", "data.b", "data.c"]),
        ("data.a ? data.b : data.c", ["data.a", "data.b", "data.c"]),
        ("math.greatest(data.a, 1)", ["data.a"]),
        ("base64.encode(data.a)", ["data.a"]),
        ("type(data.a) == list", ["data.a"]),
        ("1 + 2", []),
        ("[1, 2][0]", []),
        ("{'a': data.b}.a", ["data.b"]),
        ("f(data.x)[0].y", ["data.x"]),
        ("data.a.foo(data.b)", ["data.a", "data.b"]),
        ("data[0u].b", ["data"]),
        ("data[true]", ["data"]),
    ],
)
def test_paths_are_found_wherever_they_stand(text: str, paths: list[str]) -> None:
    assert read_by(text) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("data.items.map(i, i.name)", ["data.items", "data.items[*].name"]),
        ("data.items.map(i, i)", ["data.items"]),
        ("data.items.all(i, i.n > data.least)", ["data.items", "data.items[*].n", "data.least"]),
        ("data.items.exists_one(i, i.tags[0] == 'a')", ["data.items", "data.items[*].tags[0]"]),
        (
            "data.items.filter(i, i.ok).map(j, j.price)",
            ["data.items", "data.items[*].ok", "data.items[*].price"],
        ),
        ("data.a.map(i, i.b.map(i, i.c))", ["data.a", "data.a[*].b", "data.a[*].b[*].c"]),
        ("data.a.map(i, i.x > 1, i.y)", ["data.a", "data.a[*].x", "data.a[*].y"]),
        ("data.a.map(i, i.x).map(j, j.y)", ["data.a", "data.a[*].x"]),
        ("[1, 2].map(data, data + 1)", []),
        ("[1].map(x, x + y)", ["y"]),
        ("data.a.map(x, x) + x", ["data.a", "x"]),
        ("cel.bind(t, data.total, t.sum > 1)", ["data.total", "data.total.sum"]),
        ("cel.bind(t, data.a + 1, t.x)", ["data.a"]),
        ("cel.bind(t, data[data.k], t.x)", ["data", "data.k"]),
        ("cel.bind(t, data.a.map(i, i), t.x)", ["data.a"]),
        ("(data.a + data.b).map(i, i.c)", ["data.a", "data.b"]),
        ("cel.bind(l, data.a.filter(i, true), l.map(j, j.b))", ["data.a", "data.a[*].b"]),
        ("data.a.filter(i, true).filter(j, j.q)", ["data.a", "data.a[*].q"]),
        ("[data.a].filter(i, i.b)", ["data.a"]),
    ],
)
def test_a_macros_variable_stands_for_what_it_goes_through(text: str, paths: list[str]) -> None:
    assert read_by(text) == paths


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("has(data.a.b)", [("data.a.b", True, False)]),
        ("data.?a.orValue(1)", [("data.a", True, False)]),
        ("data.?a.b.orValue(1)", [("data.a.b", True, False)]),
        ("data[?'a'].orValue(1)", [("data.a", True, False)]),
        ("data.list[?0].orValue(1)", [("data.list[0]", True, False)]),
        ("has(data.a) ? data.a : 1", [("data.a", True, False), ("data.a", False, False)]),
        ("data[inputs.key].x", [("data", False, True), ("inputs.key", False, False)]),
        ("data.a[data.i + 1]", [("data.a", False, True), ("data.i", False, False)]),
        ("data.map(k, data[k])", [("data", False, False), ("data", False, True)]),
        ("f(1)[data.a]", [("data.a", False, False)]),
    ],
)
def test_what_may_be_missing_or_is_known_only_later_is_told(
    text: str, expected: list[tuple[str, bool, bool]]
) -> None:
    found = [(one.text, one.is_optional, one.is_partial) for one in references(text)]
    assert found == expected


def test_a_reference_has_its_steps_its_root_and_its_place() -> None:
    [first, second] = references("  data.items.map(i, i[0])")
    assert first == PathReference(("data", "items"), 6)
    assert second.path == ("data", "items", EACH, 0)
    assert (second.root, second.text) == ("data", "data.items[*][0]")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("a", "b", 0, "c d", EACH, "it's"), "a.b[0]['c d'][*]['it\\'s']"),
        (("a", "in", "1b", "", "é"), "a['in']['1b']['']['é']"),
        (("a", "\n\t\r\\\x00\x9f"), "a['\\n\\t\\r\\\\\\u0000\\u009f']"),
    ],
)
def test_a_path_is_written_as_cel(path: tuple[str | int, ...], text: str) -> None:
    assert write_path(path) == text


@pytest.mark.parametrize("key", ["plain", "it's", "a\\b", "x\ny", "\0", "🐱", "'''", '"', ""])
def test_what_is_written_reads_the_same(key: str) -> None:
    [one] = references(f"data[{quoted(key)}]")
    assert one.path == ("data", key)
