"""Problems: pointers, suggestions, and the shape programs see."""

from toolweave.errors import Invalid
from toolweave.problems import Problem, did_you_mean, pointer


def test_a_pointer_escapes_as_rfc_6901_says() -> None:
    assert pointer("a/b", "~", 0) == "/a~1b/~0/0"
    assert pointer() == ""


def test_a_close_name_is_suggested_whatever_its_case() -> None:
    assert did_you_mean("LST_files", ["list_files", "read"]) == "did you mean 'list_files'?"
    assert did_you_mean("xyzzy", ["list_files", "read"]) is None


def test_hint_and_patch_are_shown_only_where_there_is_one() -> None:
    bare = Problem("MCP_PARAMETER_REQUIRED", "/a", "missing")
    assert bare.as_json() == {
        "code": "MCP_PARAMETER_REQUIRED",
        "severity": "error",
        "pointer": "/a",
        "message": "missing",
    }
    whole = Problem("X", "/a", "m", "do this", "warning", ({"op": "remove", "path": "/a"},))
    assert whole.as_json()["hint"] == "do this"
    assert whole.as_json()["patch"] == [{"op": "remove", "path": "/a"}]


def test_a_refusal_carries_all_its_problems() -> None:
    problem = Problem("X", "/a", "m")
    told = Invalid("Y", "no", problems=[problem], hint="h", facts={"n": 1}).as_json()
    assert told == {
        "code": "Y",
        "message": "no",
        "hint": "h",
        "facts": {"n": 1},
        "problems": [problem.as_json()],
    }
