"""Slow modules are loaded by one thread at a time: the MCP SDK breaks when two load it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Both load the SDK: the first server of a studio, and the first request to /mcp.
LOADED = ("toolweave.serve.mcp_endpoint", "toolweave.servers.supervisor")
TWO_THREADS = """
import sys, threading
from importlib import import_module
from toolweave.modules import load_module
load = {"apart": load_module, "at once": import_module}[sys.argv[1]]
sys.setswitchinterval(1e-5)
start, failures = threading.Barrier(2), []
def work(name):
    start.wait()
    try:
        load(name)
    except ImportError as error:
        failures.append(error.name)
threads = [threading.Thread(target=work, args=(name,)) for name in sys.argv[2:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(failures))
"""


def _failures(how: str) -> int:
    argv = [sys.executable, "-c", TWO_THREADS, how, *LOADED]
    done = subprocess.run(argv, capture_output=True, check=True, timeout=100, cwd=ROOT)
    return int(done.stdout)


def test_two_threads_load_the_sdk_one_after_the_other() -> None:
    assert any(_failures("at once") for _ in range(5))  # the control: a plain import breaks
    assert _failures("apart") == 0


def test_no_thread_imports_a_module_without_the_lock() -> None:
    plain = [
        path
        for path in (ROOT / "src").rglob("*.py")
        if "run_sync(import_module" in path.read_text(encoding="utf-8")
    ]
    assert plain == []
