"""Claude Code itself, without an account and without a network, takes what is exported for it."""

import json
import os
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.export.speaking import a_node, a_workflow, exported
from tests.export.test_claude_workflow import BRANCHES, deciding
from tests.workflow.sample_files import sample

from toolweave.export.folder import changes, write
from toolweave.export.target_terms import CLAUDE
from toolweave.json_text import JsonObject
from toolweave.testing.model import ScriptedModel, calls, says
from toolweave.workflow.formats.load import read
from toolweave.workflow.model import Workflow

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / ".cache" / "npm-tests" / "node_modules" / ".bin" / "claude"
DEADLINE_S = 60
ARMED = '!`touch armed`\n```!\ntouch armed\n```\nIt\'s: "odd" --> # [x] {y}'

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="Claude Code is not installed")


class Model(BaseHTTPRequestHandler):
    """Keeps what it is asked and refuses to answer, so that the program ends at once."""

    asked: list[Any]

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        self.asked.append(json.loads(self.rfile.read(length)))
        answer = b'{"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}'
        self.send_response(400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def a_model() -> Generator[tuple[str, list[Any]]]:
    """Where a model would be, and what it is asked."""
    asked: list[Any] = []
    model = type("Asked", (Model,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), model) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def told(folder: Path, prompt: str) -> tuple[dict[str, Any], Any]:
    """What Claude Code knows of its project, and what it would ask the model for a prompt."""
    with a_model() as (address, asked):
        known, *_ = printed(folder, address, prompt)
    assert asked, known
    return known, asked[-1]


def printed(folder: Path, address: str, *arguments: str, **environ: str) -> list[Any]:
    """Run Claude Code without a person; what it prints."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    ran = subprocess.run(
        [PROGRAM, "-p", "--output-format", "stream-json", "--verbose", *arguments],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": address,
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_TMPDIR": str(home),
            **environ,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def exported_into(folder: Path, workflow: Workflow, target: str) -> None:
    write(changes(exported(workflow, target), folder), folder)


def test_claude_code_lists_and_loads_what_is_exported_and_runs_none_of_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    agent: JsonObject = {"description": ARMED, "agentDefinition": ARMED, "prompt": ARMED}
    options: JsonObject = {"allowedTools": "Bash(touch:*)", "argumentHint": ARMED}
    odd = a_workflow(
        a_node("subAgent", agent, name="Odd: agent"),
        a_node("prompt", {"prompt": ARMED}, name=ARMED),
        name="Odd: flow",
        description=ARMED,
        extras={"slashCommandOptions": options},
    )
    exported_into(project, odd, "claude-command")
    exported_into(project, sample("ccwf/wrapped-modes.json").workflow, "claude-skill")
    known, request = told(project, "/odd-flow now")
    assert {"odd-flow", "aws-questions"} <= set(known["slash_commands"])
    assert "aws-questions" in known["skills"]
    assert "odd-agent" in known["agents"]
    said = json.dumps(request, ensure_ascii=False)
    assert "## Workflow Execution Guide" in said
    assert "Runs the workflow 'aws-questions'." in said
    assert CLAUDE.sub_agent in {tool["name"] for tool in request["tools"]}
    assert [path.name for path in project.iterdir()] == [".claude"]


@pytest.mark.parametrize("target", ["claude-command", "claude-skill"])
def test_claude_code_fills_nothing_into_the_words_of_a_workflow(
    tmp_path: Path, target: str
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    prompt = "Print $1 and ${1}, then $ARGUMENTS, $ARGUMENTS[0] and ${CLAUDE_SESSION_ID}."
    prompt += "\n" + r"Not \$1 either."
    flow = a_workflow(a_node("prompt", {"prompt": prompt}), name="filled")
    exported_into(project, flow, target)
    _, request = told(project, "/filled first second")
    said = json.dumps(request, ensure_ascii=False)
    kept = "Print $1 and $ {1}, then $ARGUMENTS, $ARGUMENTS[0] and $ {CLAUDE_SESSION_ID}."
    assert kept in said
    assert json.dumps(r"Not \$ 1 either.")[1:-1] in said


def test_claude_code_runs_an_exported_dynamic_workflow(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    document = deciding(branches=BRANCHES, evaluationTarget="the weather")
    document["nodes"][-1]["data"]["prompt"] = ARMED
    exported_into(project, read(document).workflow, "claude-workflow")
    with ScriptedModel().running() as model:
        model.on("Choose exactly one of", calls("StructuredOutput", {"choice": "Cold"}), says("."))
        model.on("Do what this prompt says", says("It is done."))
        started = calls("Workflow", {"name": "choose", "args": {"city": "Oslo"}})
        model.on('"name": "Workflow"', started, says("Started."), says("All done."))
        address = model.base_url("anthropic")
        allowed = ("--allowedTools", "Workflow", "--", "Run the workflow.")
        lines = printed(project, address, *allowed, CLAUDE_CODE_WORKFLOWS="1")
    assert "choose" in lines[0]["slash_commands"]
    (ended,) = [line for line in lines if line.get("subtype") == "task_notification"]
    assert ended["status"] == "completed", lines
    texts = [text for one in model.heard for text in texts_in(one.body["messages"])]
    (decided,) = {one for one in texts if "Choose exactly one of" in one}
    assert "the weather" in decided
    assert 'Inputs of the workflow as JSON: {"city":"Oslo"}' in decided
    (taken,) = {one for one in texts if "Do what this prompt says" in one}
    assert 'before as JSON: {"Pick":{"choice":"Cold"}}' in taken
    assert "touch armed" in taken
    (result,) = {one for one in texts if "<task-notification>" in one}
    assert '<result>"It is done."</result>' in result
    assert not (project / "armed").exists()


def texts_in(messages: Any) -> list[str]:
    """The texts of a conversation, as the model gets it."""
    texts: list[str] = []
    for message in messages:
        content: Any = message["content"]
        if isinstance(content, str):
            texts.append(content)
        else:
            texts += [block["text"] for block in content if block["type"] == "text"]
    return texts
