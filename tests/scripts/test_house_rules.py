"""Each house rule on a small tree that breaks it, and on one that does not."""

import subprocess
import sys
from pathlib import Path

import pytest
from scripts.house_rules import Finding, findings_in

SCRIPT = Path(__file__).parents[2] / "scripts" / "house_rules.py"
ERRORS = "class ToolweaveError(Exception): ...\nclass Invalid(ToolweaveError): ...\n"


def _findings(root: Path, files: dict[str, str]) -> list[Finding]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return findings_in(root)


def _texts(root: Path, source: str, name: str = "servers/gate.py") -> list[str]:
    return [finding.text for finding in _findings(root, {f"src/toolweave/{name}": source})]


def test_a_file_over_the_ceiling_is_a_fault_and_one_over_the_aim_a_warning(tmp_path: Path) -> None:
    found = _findings(
        tmp_path,
        {
            "src/toolweave/a.py": "x = 1\n" * 451,
            "src/toolweave/b.py": "x = 1\n" * 401,
            "src/toolweave/c.py": "x = 1\n" * 400,
            "src/toolweave/g.py": "x = 1\n" * 450,
            "web/src/canvas/d.tsx": "let x\n" * 451,
            "web/src/canvas/e.css": "a {}\n" * 451,
            "tests/test_f.py": "x = 1\n" * 451,
        },
    )
    assert [(finding.path, finding.level) for finding in found] == [
        ("src/toolweave/a.py", "fault"),
        ("src/toolweave/b.py", "warning"),
        ("src/toolweave/g.py", "warning"),
        ("web/src/canvas/d.tsx", "fault"),
    ]


def test_a_file_that_the_architecture_names_exists(tmp_path: Path) -> None:
    files = {
        "ARCHITECTURE.md": "`servers/gate.py`, `shell/pages.tsx`, `scripts/check.py`\n`app/old.py`",
        "src/toolweave/servers/gate.py": "",
        "web/src/shell/pages.tsx": "",
        "scripts/check.py": "",
    }
    (finding,) = _findings(tmp_path, files)
    assert finding == ("ARCHITECTURE.md", 2, "there is no file 'app/old.py'", "fault")


def test_a_composition_of_a_thousand_lines_is_a_fault(tmp_path: Path) -> None:
    parts = {f"src/toolweave/app/{name}.py": "x = 1\n" * 333 for name in "abc"}
    assert _findings(tmp_path, parts) == []
    (finding,) = _findings(tmp_path, {"src/toolweave/app/d.py": "x = 1\n"})
    assert (finding.path, finding.level) == ("src/toolweave/app", "fault")


@pytest.mark.parametrize(
    "name",
    [
        "src/toolweave/utils.py",
        "src/toolweave/servers/manager.py",
        "src/toolweave/helpers/text.py",
        "web/src/common/text.ts",
        "web/src/model/base.test.ts",
    ],
)
def test_a_module_named_by_no_noun_of_the_domain_is_a_fault(tmp_path: Path, name: str) -> None:
    (finding,) = _findings(tmp_path, {name: ""})
    assert (finding.path, finding.level) == (name, "fault")


def test_a_name_that_only_contains_a_banned_word_is_fine(tmp_path: Path) -> None:
    assert _findings(tmp_path, {"src/toolweave/storage/database.py": ""}) == []


@pytest.mark.parametrize(
    "source",
    [
        "eval('1')",
        "run = exec",
        "compile('1', '', 'eval')",
        "__import__('os')",
        "import pickle",
        "from marshal import loads",
        "import shelve as store",
        "import yaml\nyaml.load('')",
        "import yaml as y\ny.full_load('')",
        "from yaml import unsafe_load",
        "import subprocess\nsubprocess.run('ls', shell=True)",
        "import subprocess\nsubprocess.run('ls', shell=chosen)",
        "from subprocess import getoutput",
        "import os\nos.system('ls')",
        "from os import popen",
        "import asyncio\nasyncio.create_subprocess_shell('ls')",
        "import anyio\nanyio.run_process('ls -l')",
        "from anyio import open_process\nopen_process(f'ls {x}')",
        "import asyncio\nasyncio.create_task(work())",
        "from asyncio import ensure_future",
        "loop.create_task(work())",
        "import time\ntime.sleep(1)",
        "from time import sleep",
        "import os\nhome = os.environ['HOME']",
        "from os import getenv",
    ],
)
def test_what_product_code_never_does_is_a_fault(tmp_path: Path, source: str) -> None:
    assert len(_texts(tmp_path, source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import re\nre.compile('a')",
        "from re import compile\ncompile('a')",
        "self.compile(x)",
        "import yaml\nyaml.safe_load('')",
        "import subprocess\nsubprocess.run(['ls'], shell=False)",
        "import anyio\nanyio.run_process(['ls', '-l'])",
        "import anyio\nanyio.sleep(1)",
        "import os\nos.path.join('a')",
        "group.start_soon(work)",
    ],
)
def test_what_only_looks_like_it_is_fine(tmp_path: Path, source: str) -> None:
    assert _texts(tmp_path, source) == []


@pytest.mark.parametrize("name", ["settings.py", "home.py", "app/studio.py", "cli/main.py"])
def test_the_environment_may_be_read_at_the_edge(tmp_path: Path, name: str) -> None:
    assert _texts(tmp_path, "import os\nhome = os.environ\n", name) == []


def test_an_allowance_is_for_its_own_name_only(tmp_path: Path) -> None:
    assert len(_texts(tmp_path / "a", "import time\ntime.sleep(1)\n", "settings.py")) == 1
    assert len(_texts(tmp_path / "b", "import os\nos.environ\n", "servers/settings.py")) == 1


BROAD = [
    "try:\n    work()\nexcept Exception:\n    pass\n",
    "try:\n    work()\nexcept:\n    pass\n",
    "try:\n    work()\nexcept (ValueError, BaseException):\n    pass\n",
    "try:\n    work()\nexcept* Exception:\n    pass\n",
    "try:\n    work()\nexcept Exception as error:\n    raise ValueError from error\n",
    "from contextlib import suppress\nwith suppress(Exception):\n    work()\n",
]


@pytest.mark.parametrize("source", BROAD)
def test_catching_everything_is_a_fault(tmp_path: Path, source: str) -> None:
    (text,) = _texts(tmp_path, source)
    assert text.startswith("catches everything")


def test_catching_everything_at_an_edge_is_counted_only(tmp_path: Path) -> None:
    found = _findings(tmp_path, {"src/toolweave/cli/main.py": BROAD[0] + BROAD[0]})
    assert [finding.level for finding in found] == ["note", "note"]


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    work()\nexcept ValueError:\n    pass\n",
        "try:\n    work()\nexcept BaseException:\n    undo()\n    raise\n",
        "from contextlib import suppress\nwith suppress(OSError):\n    work()\n",
    ],
)
def test_catching_something_or_raising_on_is_fine(tmp_path: Path, source: str) -> None:
    assert _texts(tmp_path, source) == []


def test_a_function_longer_than_a_screen_is_a_fault(tmp_path: Path) -> None:
    just = "def f():\n" + "    x = 1\n" * 49
    assert _texts(tmp_path, just) == []
    assert _texts(tmp_path, just + "    x = 1\n") == ["f() has 51 lines; 50 is the ceiling"]


@pytest.mark.parametrize(
    "body",
    [
        "work()",
        "assert True",
        "from toolweave.tools import check\n    check(1)",
        "studio.check()",
        "other()",
    ],
)
def test_a_test_that_asserts_nothing_is_a_fault(tmp_path: Path, body: str) -> None:
    source = f"def other():\n    work()\ndef test_a():\n    {body}\n"
    (finding,) = _findings(tmp_path, {"tests/tools/test_a.py": source})
    assert finding == ("tests/tools/test_a.py", 3, "test_a asserts nothing", "fault")


@pytest.mark.parametrize(
    "body",
    [
        "assert work() == 1",
        "with pytest.raises(ValueError):\n        work()",
        "pytest.fail('never')",
        "other()",
        "from tests.contract import check_store\n    check_store(1)",
    ],
)
def test_a_test_that_can_fail_is_fine(tmp_path: Path, body: str) -> None:
    source = f"def other():\n    assert work()\ndef test_a():\n    {body}\n"
    assert _findings(tmp_path, {"tests/tools/test_a.py": source}) == []


# Put together, so that this file does not itself name such a place.
@pytest.mark.parametrize(
    "line",
    [
        "/" + "work/main",
        "cd /" + "root/x",
        "('/" + "farm/x')",
        "https://" + "pypi" + ".org/simple",
        "files.pythonhosted" + ".org",
        "registry.npmjs" + ".org",
        "deb.debian" + ".org",
    ],
)
def test_a_machine_path_or_a_registry_in_any_text_file_is_a_fault(
    tmp_path: Path, line: str
) -> None:
    (finding,) = _findings(tmp_path, {"docs/a.md": f"first\n{line}\n"})
    assert (finding.path, finding.line, finding.level) == ("docs/a.md", 2, "fault")


def test_a_link_is_a_fault_wherever_it_leads(tmp_path: Path) -> None:
    assert _findings(tmp_path, {"tests/data/a.json": "{}"}) == []
    (tmp_path / "tests" / "linked").symlink_to(tmp_path / "tests" / "data")
    (finding,) = _findings(tmp_path, {})
    assert (finding.path, finding.level) == ("tests/linked", "fault")


@pytest.mark.parametrize("line", ["src/work/x", "a.root/b", "/workspace/x", "my-pypi.organic"])
def test_a_line_that_names_no_place_is_fine(tmp_path: Path, line: str) -> None:
    assert _findings(tmp_path, {"docs/a.md": line}) == []


def test_binary_files_and_files_that_git_ignores_are_left_alone(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    place = "/" + "work/main\n"
    found = _findings(
        tmp_path,
        {
            ".gitignore": "kept-out/\n",
            "kept-out/a.txt": place,
            "b.bin": f"\0{place}",
            "c.txt": place,
        },
    )
    assert [finding.path for finding in found] == ["c.txt"]


def test_a_code_that_is_raised_and_not_listed_is_a_fault(tmp_path: Path) -> None:
    found = _findings(
        tmp_path,
        {
            "src/toolweave/errors.py": ERRORS,
            "src/toolweave/codes/all.py": 'ALL: dict[str, str] = {"KNOWN": "Known."}\n',
            "src/toolweave/a.py": (
                "raise errors.Invalid('KNOWN', '')\n"
                "raise Invalid('NEW_ONE' if x else 'KNOWN', '')\n"
                "yield Problem(code='NEW_TWO', pointer='')\n"
                "raise Invalid('not snake', '')\n"
                "raise Invalid(code, '')\n"
                "raise ValueError('FREE')\n"
            ),
        },
    )
    assert [(finding.line, finding.text) for finding in found] == [
        (2, "the code 'NEW_ONE' is not in src/toolweave/codes/"),
        (3, "the code 'NEW_TWO' is not in src/toolweave/codes/"),
        (4, "the code 'not snake' is not UPPER_SNAKE_CASE"),
    ]


def test_a_code_that_is_listed_and_used_nowhere_is_a_fault(tmp_path: Path) -> None:
    found = _findings(
        tmp_path,
        {
            "src/toolweave/codes/all.py": 'ALL = {\n    "USED": "Yes.",\n    "UNUSED": "No."\n}\n',
            "src/toolweave/a.py": "BY_STATUS = {404: 'USED'}\n",
        },
    )
    assert found == [
        Finding("src/toolweave/codes/all.py", 3, "the code 'UNUSED' is used nowhere"),
    ]


def test_a_public_class_name_that_exists_twice_is_a_fault(tmp_path: Path) -> None:
    found = _findings(
        tmp_path,
        {
            "src/toolweave/a/run.py": "class Run: ...\nclass _Row: ...\n",
            "src/toolweave/b/run.py": "x = 1\nclass Run: ...\nclass _Row: ...\n",
        },
    )
    text = "the class name Run is already used in src/toolweave/a/run.py; choose another"
    assert found == [Finding("src/toolweave/b/run.py", 2, text)]


def test_public_class_names_that_differ_are_fine(tmp_path: Path) -> None:
    files = {
        "src/toolweave/a/run.py": "class Run: ...\nclass _Row: ...\n",
        "src/toolweave/b/run.py": "class RunRow:\n    class Run: ...\nclass _Row: ...\n",
        "tests/test_run.py": "class Run: ...\n",
    }
    assert _findings(tmp_path, files) == []


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("src/toolweave/a.py", "x = 1  # mends the file\n", 1),
        ("src/toolweave/a.py", '"""Does it.\n\nThe files are MENDED here.\n"""\n', 3),
        ("src/toolweave/a.py", 'x = f"{y} brings the run forward"\n', 1),
        ("tests/engine/test_a.py", "# whoever holds it\n", 1),
        ("docs/runs.md", "# Runs\n\nWhat becomes of a run.\n", 3),
        ("README.md", "By seed 003.\n", 1),
        ("src/toolweave/a.py", "x = 1  # 004: legacy\n", 1),
        ("src/toolweave/a.py", "x = 1  # by 004's design\n", 1),
        ("changes/a.fixed.md", "A node hears of it.\n", 1),
        ("web/src/a.tsx", "const x = <p>Nobody told of it</p>;\n", 1),
        ("web/src/a.tsx", 'const x = "Throw away";\n', 1),
    ],
)
def test_a_word_of_the_private_vocabulary_is_a_fault(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    (finding,) = _findings(tmp_path, {name: text})
    assert (finding.path, finding.line, finding.level) == (name, line, "fault")
    assert ": write " in finding.text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/toolweave/a.py", 'x = {"mended": 1}\nmended = 2\n'),
        ("src/toolweave/a.py", "# recommended, amends, tells it, hears it, becomes often\n"),
        ("src/toolweave/a.py", "# not now, to look at: words of the studio's pages only\n"),
        ("tests/seeds/a.py", "# seed 003\n"),
        ("src/toolweave/a.py", "x = 1  # as in ada-002 and `001:FR-008`\n"),
        ("tests/docs/a.md", "seed 003\n"),
    ],
)
def test_contract_keys_and_ordinary_words_are_fine(tmp_path: Path, name: str, text: str) -> None:
    assert _findings(tmp_path, {name: text}) == []


def test_a_file_that_cannot_be_parsed_is_a_fault_and_hides_no_other(tmp_path: Path) -> None:
    found = _findings(
        tmp_path, {"src/toolweave/a.py": "def (\n", "src/toolweave/b.py": "eval('1')\n"}
    )
    assert [finding.path for finding in found] == ["src/toolweave/a.py", "src/toolweave/b.py"]


def _run(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_script_names_each_fault_and_exits_1(tmp_path: Path) -> None:
    _findings(tmp_path, {"src/toolweave/a.py": "x = 1\neval('1')\n"})
    run = _run(tmp_path)
    assert (run.returncode, run.stderr) == (1, "")
    assert run.stdout.splitlines() == [
        "src/toolweave/a.py:2: fault: eval: runs text as code",
        "house rules: 1 faults, 0 warnings; everything is caught in 0 places at the four edges",
    ]


def test_the_script_exits_0_with_warnings_only(tmp_path: Path) -> None:
    _findings(tmp_path, {"src/toolweave/a.py": "x = 1\n" * 401})
    run = _run(tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("src/toolweave/a.py:1: warning: 401 lines")


def test_the_script_does_not_flag_itself(tmp_path: Path) -> None:
    names = ("scripts/house_rules.py", "tests/scripts/test_house_rules.py")
    texts = {name: (SCRIPT.parents[1] / name).read_text(encoding="utf-8") for name in names}
    assert _findings(tmp_path, texts) == []


def test_a_run_is_created_at_one_place_and_driven_through_the_gate(tmp_path: Path) -> None:
    gate = "src/toolweave/engine/runs.py"
    files = {
        gate: "async def start(it):\n    await it.create_run()\n    await it.advance()\n",
        "src/toolweave/engine/engine.py": "async def wake(self):\n    await self.advance()\n",
        "tests/test_it.py": "async def drive(engine):\n    await engine.advance()\n",
    }
    assert _findings(tmp_path, files) == []
    own_way = "async def run(engine):\n    await engine.create_run()\n    await engine.advance()\n"
    found = _findings(tmp_path, {"src/toolweave/documents/workspace.py": own_way})
    assert [(one.path, one.line) for one in found] == [
        ("src/toolweave/documents/workspace.py", 2),
        ("src/toolweave/documents/workspace.py", 3),
    ]
    twice = files[gate] + "async def again(engine):\n    await engine.create_run()\n"
    (tmp_path / "src/toolweave/documents/workspace.py").unlink()
    (second,) = _findings(tmp_path, {gate: twice})
    assert (second.path, second.line, "second call" in second.text) == (gate, 5, True)
