"""A set of faults outside the repository is measured with its own right documents."""

import json
from pathlib import Path

import pytest
from tests.workflow.faults.cases import FOLDER
from tests.workflow.faults.measure import canonical, main

from toolweave.json_text import JsonObject


def test_a_set_of_another_folder_is_measured_with_its_own_right_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hello = json.loads((FOLDER / "right" / "hello.json").read_text(encoding="utf-8"))
    path = "/connections/0/to"
    fault = {
        "id": "graph-own-1",
        "family": "graph",
        "right": "own-hello",
        "patch": [{"op": "replace", "path": path, "value": "nowhere"}],
        "at": [path],
        "never_fix": True,
    }
    unusual = {
        "id": "own-unusual",
        "right": "hello",
        "patch": [{"op": "add", "path": "/x", "value": 1}],
    }
    for name, value in {
        "right/own-hello.json": hello,
        "graph.json": [fault],
        "unusual.json": [unusual],
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")

    main(["--dir", str(tmp_path)])

    table = capsys.readouterr().out.splitlines()
    assert table[1].split() == ["graph", "1", "100.0%", "100.0%", "0", "100.0%", "0", "0"]
    assert table[-1] == "errors on right documents: 0 of 2"


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("{{ a.b.map(x, x.c) }}", "{{ a.b.map(one, one.c) }}", True),
        ("a.filter(x, x.n > 1).map(y, y.c)", "a.filter(p, p.n > 1).map(q, q.c)", True),
        ("a.map(x, x.b.exists(y, y == x.c))", "a.map(p, p.b.exists(q, q == p.c))", True),
        ("{{ a.b.map(x, x.c) }}", "{{ a.b.map(x, x.d) }}", False),
        ("a.map(x, x.c) + x.d", "a.map(y, y.c) + y.d", False),
    ],
)
def test_the_name_of_an_item_makes_no_other_answer(one: str, other: str, *, is_same: bool) -> None:
    def form(text: str) -> str:
        node: JsonObject = {"id": "a", "type": "prompt", "name": "a", "data": {"prompt": text}}
        return canonical({"id": "w", "name": "w", "nodes": [node], "connections": []})

    assert (form(one) == form(other)) is is_same
