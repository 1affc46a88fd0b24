"""`toolweave validate`: what it says, what it repairs, and how it ends."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.cli.driving import Commands
from tests.workflow.corpus.bases import edge, line, mcp, node, whole
from tests.workflow.sample_files import FOLDER

from toolweave.demo.server import TOOLS

GOOD = line(
    "greeting",
    [
        node("start", "start"),
        mcp("hello", "demo", "greet", {"name": "Ada", "language": "de"}),
        node("end", "end"),
    ],
)


# Any: a document to write.
def written(tw: Commands, document: Any, name: str = "flow.json") -> Path:
    path = tw.project / name
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return path


def faulty(**values: object) -> dict[str, Any]:
    document = json.loads(json.dumps(GOOD))
    document["nodes"][1]["data"]["parameterValues"] |= values
    return document


def with_demo(tw: Commands) -> None:
    tw.ok("servers", "add", "demo", "--", "toolweave", "demo-server")
    tw.ok("servers", "approve", "demo", "--yes")


def test_a_right_workflow_is_valid_and_ends_with_0(tw: Commands) -> None:
    ran = tw.ok("validate", str(written(tw, GOOD)))
    assert ran.out.startswith("valid")
    assert ran.err == ""


def test_errors_end_with_1_and_warnings_with_0(tw: Commands) -> None:
    wrong = written(tw, faulty(language="dee"))
    ran = tw("validate", str(wrong))
    assert ran.code == 1
    assert "MCP_PARAMETER_ENUM_INVALID" in ran.out
    odd = written(tw, GOOD | {"name": "A Greeting"}, "odd.json")
    ran = tw.ok("validate", str(odd))
    assert "WORKFLOW_NAME_UNUSUAL" in ran.out


@pytest.mark.parametrize("args", [[], ["not-there.json"], ["."]])
def test_wrong_use_ends_with_2(tw: Commands, args: list[str]) -> None:
    ran = tw("validate", *args)
    assert ran.code == 2
    assert "Error" in ran.err


@pytest.mark.requirement("001:MCP_NODE_VALIDATION_FAILED", "001:FR-011")
def test_json_tells_every_problem_with_place_hint_and_patch(tw: Commands) -> None:
    ran = tw("validate", "--json", str(written(tw, faulty(language="dee"))))
    assert ran.code == 1
    assert ran.json["valid"] is False
    found = {problem["code"]: problem for problem in ran.json["problems"]}
    assert {code: problem["severity"] for code, problem in found.items()} == {
        "MCP_SERVER_NOT_FOUND": "warning",
        "MCP_PARAMETER_ENUM_INVALID": "error",
    }
    place = "/nodes/1/data/parameterValues/language"
    problem = found["MCP_PARAMETER_ENUM_INVALID"]
    assert problem["pointer"] == place
    assert problem["message"]
    assert problem["hint"]
    assert problem["patch"] == [{"op": "replace", "path": place, "value": "de"}]


def test_several_files_are_told_one_by_one_and_one_error_is_enough(tw: Commands) -> None:
    right = written(tw, GOOD)
    wrong = written(tw, faulty(language="dee"), "wrong.json")
    ran = tw("validate", "--json", str(right), str(wrong))
    assert ran.code == 1
    assert [one["valid"] for one in ran.json] == [True, False]
    assert [one["file"] for one in ran.json] == [str(right), str(wrong)]


def test_standard_input_and_yaml_are_read(tw: Commands) -> None:
    ran = tw("validate", "-", input=json.dumps(GOOD))
    assert ran.code == 0
    yaml = FOLDER / "agent-team" / "current.yaml"
    ran = tw("validate", "--json", str(yaml))
    assert ran.json["format"] == "agent-team"


def test_fix_shows_the_difference_writes_it_and_has_nothing_to_do_then(tw: Commands) -> None:
    path = written(tw, faulty(language="dee"))
    ran = tw.ok("validate", "--fix", str(path))
    assert '-          "language": "dee"' in ran.out
    assert '+          "language": "de"' in ran.out
    assert json.loads(path.read_text(encoding="utf-8")) == GOOD
    mended = path.read_bytes()
    ran = tw.ok("validate", "--fix", str(path))
    assert ran.out.startswith("valid")
    assert path.read_bytes() == mended
    assert [one.name for one in tw.project.iterdir()] == [path.name]


def test_fix_changes_nothing_but_the_fault_in_a_file_of_another_dialect(tw: Commands) -> None:
    sample = (FOLDER / "flow" / "export.json").read_text(encoding="utf-8")
    path = tw.project / "export.json"
    path.write_text(sample.replace('"target": "t-1"', '"target": "T_1"'), encoding="utf-8")
    tw.ok("validate", "--fix", str(path))
    assert path.read_text(encoding="utf-8") == sample


@pytest.mark.parametrize("indent", [1, 4, "\t"])
@pytest.mark.parametrize(("line_end", "last"), [("\n", "\n"), ("\r\n", "")])
def test_fix_keeps_the_layout_of_the_file(
    tw: Commands, indent: int | str, line_end: str, last: str
) -> None:
    def laid_out(document: object) -> bytes:
        text = json.dumps(document, indent=indent, ensure_ascii=False)
        return text.replace("\n", line_end).encode() + last.encode()

    path = tw.project / "laid-out.json"
    path.write_bytes(laid_out(faulty(language="dee")))
    ran = tw.ok("validate", "--fix", str(path))
    assert path.read_bytes() == laid_out(GOOD)
    changed = [line for line in ran.out.splitlines() if line.startswith(("+ ", "- ", "+\t", "-\t"))]
    assert ['"dee"' in line for line in changed] == [True, False]


def test_fix_of_standard_input_gives_the_document_alone(tw: Commands) -> None:
    ran = tw("validate", "--fix", "-", input=json.dumps(faulty(language="dee")))
    assert ran.code == 0
    assert ran.json == GOOD
    assert "valid" in ran.err
    ran = tw("validate", "--fix", "-", input=json.dumps(GOOD))
    assert ran.json == GOOD
    ran = tw("validate", "--fix", "--json", "-", input=json.dumps(faulty(language="dee")))
    assert ran.json["document"] == GOOD


def test_yaml_is_not_written_over(tw: Commands) -> None:
    path = tw.project / "flow.yaml"
    path.write_bytes((FOLDER / "agent-team" / "current.yaml").read_bytes())
    before = path.read_bytes()
    ran = tw("validate", "--fix", str(path))
    assert ran.code == 1
    assert "WORKFLOW_IS_YAML" in ran.err
    assert path.read_bytes() == before


def test_approved_tools_are_known_without_asking_their_server(tw: Commands) -> None:
    with_demo(tw)
    document = faulty(name=5)
    document["nodes"][1]["data"]["parameters"] = []
    ran = tw("validate", "--json", str(written(tw, document)))
    assert [one["code"] for one in ran.json["problems"]] == ["MCP_PARAMETER_INVALID_TYPE"]
    document["nodes"][1]["data"]["serverId"] = "somewhere-else"
    ran = tw.ok("validate", "--json", str(written(tw, document)))
    assert [(one["code"], one["severity"]) for one in ran.json["problems"]] == [
        ("MCP_SERVER_NOT_FOUND", "warning")
    ]


@pytest.mark.requirement("001:FR-011")
def test_live_servers_are_asked_and_the_statuses_written(tw: Commands) -> None:
    with_demo(tw)
    nodes = [
        node("start", "start"),
        mcp("good", "demo", "greet", {"name": "Ada"}),
        mcp("gone", "demo", "greet", {"name": "Ada"}),
        mcp("away", "demo", "greet", {"name": "Ada"}),
        node("end", "end"),
    ]
    nodes[2]["data"]["toolName"] = "quantum"
    nodes[3]["data"]["serverId"] = "nowhere"
    ids = [one["id"] for one in nodes]
    edges = [edge(one, other) for one, other in pairwise(ids)]
    path = written(tw, whole("live", nodes, edges))
    ran = tw("validate", "--live", "--json", str(path))
    assert ran.code == 1
    expected = {"good": "valid", "gone": "invalid", "away": "missing"}
    assert ran.json["statuses"] == expected
    assert len(TOOLS) > 10
    tw("validate", "--live", "--fix", str(path))
    found = json.loads(path.read_text(encoding="utf-8"))["nodes"]
    told = {one["id"]: one["data"]["validationStatus"] for one in found if one["type"] == "mcp"}
    assert told == expected


BAD: dict[str, bytes] = {
    "empty": b"",
    "words": b"these are words",
    "cut": b'{"nodes": [',
    "number": b"7",
    "list": b"[1, 2]",
    "no workflow": b'{"a": 1}',
    "duplicate keys": b'{"id": "a", "id": "b", "name": "a", "nodes": [], "connections": []}',
    "not a number": b'{"id": "a", "name": "a", "version": NaN, "nodes": []}',
    "lone surrogate": b'{"id": "a", "name": "\\ud800", "nodes": [], "connections": []}',
    "bytes": b'{"id": "\xff\xfe", "nodes": []}',
    "byte order mark": b"\xef\xbb\xbf" + json.dumps(GOOD).encode(),
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"nodes":' * 100_000,
    "nodes of all kinds": b'{"nodes": [1, null, "a", [], {}], "connections": [1, null, {}]}',
    "wrong types": b'{"id": [], "name": {}, "nodes": {"a": 1}, "connections": "x"}',
    "path name": json.dumps(GOOD | {"name": "../../etc/passwd"}).encode(),
    "breaking out": json.dumps(faulty(name="--> ``` \u0000 \u001b[31m </script>")).encode(),
}


def large(kind: str) -> bytes:
    if kind == "10,000 nodes":
        nodes = [node(f"n{at}", "prompt", prompt="x") for at in range(10_000)]
        edges = [edge(f"n{at}", f"n{at + 1}") for at in range(9_999)]
        return json.dumps(whole("large", nodes, edges)).encode()
    if kind == "10,000 wrong nodes":
        nodes = [node(f"n{at % 50}", "promtp", x="{{ nope") for at in range(10_000)]
        edges = [edge(f"m{at}", f"k{at}") for at in range(10_000)]
        return json.dumps(whole("large", nodes, edges)).encode()
    groups = [node(f"g{at}", "group") for at in range(500)]
    for at, one in enumerate(groups):
        one["parentId"] = f"g{(at + 1) % 500}"
    return json.dumps(whole("groups", groups, [])).encode()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", [*BAD, "10,000 nodes", "10,000 wrong nodes", "cyclic groups"])
def test_bad_input_is_told_and_never_a_traceback(tw: Commands, kind: str) -> None:
    path = tw.project / "bad.json"
    path.write_bytes(BAD[kind] if kind in BAD else large(kind))
    ran = tw("validate", "--json", str(path))
    assert ran.code in (0, 1), ran
    assert "Traceback" not in ran.err
    assert ran.json["valid"] is (ran.code == 0)
    assert all(one["pointer"].startswith(("/", "")) for one in ran.json["problems"])
    if kind not in {"byte order mark", "breaking out", "10,000 nodes", "path name"}:
        assert 0 < len(ran.json["problems"]) <= 2_002
    shown = tw("validate", str(path))
    assert shown.code == ran.code
    assert "\x1b[31m" not in shown.out
