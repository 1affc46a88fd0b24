"""The workers that run the tests: nothing is lost, nothing runs twice, nothing fails silently."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.pool import WAITING

ROOT = Path(__file__).parents[2]
FIRST = """
import os
import pytest

@pytest.fixture(scope="session")
def made():
    print("made in", os.getpid())
    yield os.getpid()

@pytest.mark.xdist_group("one")
def test_together(made): print("worker", made); assert False
def test_fails(): print("said by the first"); assert 1 == 2
def test_dies(): os._exit(3)
@pytest.mark.skip(reason="not here")
def test_skipped(): raise AssertionError
@pytest.mark.parametrize("n", range(50))
def test_many(n, tmp_path, capsys): print(n); assert capsys.readouterr().out == f"{n}\\n"
"""
SECOND = """
import pytest
from test_first import made

@pytest.mark.xdist_group("one")
def test_apart(made): print("worker", made); assert False
@pytest.fixture
def breaks():
    yield
    raise OSError("at the end")
def test_breaks_at_its_end(breaks): pass
@pytest.mark.parametrize("n", range(50))
def test_more(n): assert n >= 0
"""


def _pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_first.py").write_text(FIRST, encoding="utf-8")
    (folder / "test_second.py").write_text(SECOND, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = xdist_group\npythonpath = .\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.pool", "-p", "no:xdist", "-q"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environ.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_workers_report_what_one_process_reports(tmp_path: Path) -> None:
    done = _pytest(tmp_path, "-n", "2")
    assert done.returncode == 1, done.stdout + done.stderr
    # The test that ends its worker costs that test, not the 53 after it.
    assert "4 failed, 101 passed, 1 skipped, 1 error" in done.stdout
    assert "ended with status 768 while it ran this test" in done.stdout
    assert "assert 1 == 2" in done.stdout
    assert "said by the first" in done.stdout
    assert "OSError: at the end" in done.stdout
    # One worker for what is marked so, whichever file it is in.
    workers = re.findall(r"worker (\d+)", done.stdout)
    assert len(workers) == 2
    assert len(set(workers)) == 1
    alone = _pytest(tmp_path, "-n", "0", "--deselect", "test_first.py::test_dies")
    assert "3 failed, 101 passed, 1 skipped, 1 deselected, 1 error" in alone.stdout


def test_workers_stop_at_the_first_failure_if_told(tmp_path: Path) -> None:
    done = _pytest(tmp_path, "-n", "2", "-x")
    assert done.returncode == 1
    # Two workers: each may be in the middle of a test that fails.
    found = re.search(r"stopping after ([12]) failures", done.stdout)
    assert found is not None, done.stdout
    assert "passed" not in done.stdout or int(re.findall(r"(\d+) passed", done.stdout)[0]) < 101


USING = """
def test_it(made, tmp_path_factory):
    (tmp_path_factory.getbasetemp().parent / "used").open("a").write("used\\n")
"""
# Not over before the others are.
PLAIN = """
import time

def test_it(tmp_path_factory):
    used, until = tmp_path_factory.getbasetemp().parent / "used", time.monotonic() + 60
    while not used.exists() or len(used.read_text().splitlines()) < 6:
        assert time.monotonic() < until
        time.sleep(0.01)
"""
SHARED = """
import os
import pytest

@pytest.fixture(scope="package")
def made(tmp_path_factory):
    (tmp_path_factory.getbasetemp().parent / "made").open("a").write(f"{os.getpid()}\\n")
"""


def test_one_worker_has_the_fixtures_of_a_package_and_goes_on_with_it(tmp_path: Path) -> None:
    for folder in ("a_browser", "between"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "a_browser" / "conftest.py").write_text(SHARED, encoding="utf-8")
    for number in range(6):
        (tmp_path / "a_browser" / f"test_{number}.py").write_text(USING, encoding="utf-8")
        (tmp_path / "between" / f"test_{number}.py").write_text(PLAIN, encoding="utf-8")
    mixed = [f"{folder}/test_{n}.py" for n in range(6) for folder in ("a_browser", "between")]
    for workers in ("1", "2"):
        temporary = tmp_path / f"temp{workers}"
        done = _pytest(tmp_path, "-n", workers, "--basetemp", str(temporary), *mixed)
        assert "12 passed" in done.stdout, done.stdout + done.stderr
        assert len((temporary / "made").read_text(encoding="utf-8").splitlines()) == 1


# Ends when so many tests run at once.
MEETING = """
import time

def test_it(tmp_path_factory):
    base, until = tmp_path_factory.getbasetemp().parent, time.monotonic() + {patience}
    (base / "{number}").touch()
    while sum(one.name.isdigit() for one in base.iterdir()) < {count}:
        assert time.monotonic() < until
        time.sleep(0.01)
"""
IDLE = "import tests.pool\ntests.pool.LOOK_S, tests.pool.IDLE_SHARE = 0.01, {share}\n"


def test_workers_are_added_while_processors_idle(tmp_path: Path) -> None:
    count = len(os.sched_getaffinity(0)) + WAITING + 2
    # A worker has its next test before it begins one.
    names = [f"test_{number}.py" for number in range(3 * count)]
    # Always idle; then never, the control: too few meet.
    for share, patience, outcome in ((-1.0, 60, f"{3 * count} passed"), (2.0, 1, "failed")):
        for number, name in enumerate(names):
            text = MEETING.format(number=number, count=count, patience=patience)
            (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / "conftest.py").write_text(IDLE.format(share=share), encoding="utf-8")
        base = str(tmp_path / f"base{patience}")
        done = _pytest(tmp_path, "-n", "auto", "--basetemp", base, *names)
        assert outcome in done.stdout, done.stdout + done.stderr
