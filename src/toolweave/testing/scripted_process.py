"""The process behind `ScriptedServer`: `python -I -S scripted_process.py FOLDER`.

Responds according to `script.json` in the folder, which is read for every request, and appends
every received message to `heard.jsonl`. Standard library only, so that it starts in milliseconds.
"""

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

# Any: arbitrary JSON of the script and the client.
Message = dict[str, Any]

MODERN = "2026-07-28"
LEGACY = "2025-06-18"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
LOOK_EVERY_S = 0.03
NOT_FOUND = -32601
INVALID = -32602
# The methods of what a server offers beside its tools.
CONTENT = {
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
}


class Process:
    """Handles one line after another; a waiting step runs in a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = (folder / "heard.jsonl").open("a", encoding="utf-8")
        self._writing = threading.Lock()
        self._answered: dict[object, threading.Event] = {}
        self._answers: dict[object, Message] = {}
        self._listeners: list[object] = []
        self._asked = 0

    def run(self) -> None:
        """Serve until stdin closes."""
        self._note({"started": os.getpid()})
        threading.Thread(target=self._announce_forever, daemon=True).start()
        for line in sys.stdin.buffer:
            message: Message = json.loads(line)
            if "method" not in message:
                self._note({"answered": message})
                self._answers[message["id"]] = message
                if message["id"] in self._answered:
                    self._answered[message["id"]].set()
                continue
            calls = self._note(message)
            if "id" in message:
                threading.Thread(target=self._answer, args=(message, calls), daemon=True).start()
        os._exit(0)

    def _script(self) -> Message:
        script: Message = json.loads((self._folder / "script.json").read_bytes())
        return script

    def _note(self, message: Message) -> int:
        """Record a message; return the number of earlier calls of its tool, in all processes."""
        self._log.write(json.dumps(message) + "\n")
        self._log.flush()
        if message.get("method") != "tools/call":
            return 0
        name = message["params"]["name"]
        lines = (self._folder / "heard.jsonl").read_text(encoding="utf-8").splitlines()
        calls = [line for line in map(json.loads, lines) if line.get("method") == "tools/call"]
        return sum(call["params"]["name"] == name for call in calls) - 1

    def _answer(self, request: Message, calls: int) -> None:
        script = self._script()
        method = request["method"]
        if method in script["refuses"]:
            self._refuse(request)
        elif method in script["results"]:
            self._reply(request, script["results"][method])
        elif method == "tools/call":
            steps: list[list[Message]] = script["answers"].get(request["params"]["name"], [[]])
            self._call(request, steps[min(calls, len(steps) - 1)], script)
        else:
            self._speak(request, script)

    def _speak(self, request: Message, script: Message) -> None:
        era, method = script["era"], request["method"]
        if method == "server/discover" and era == "dies":
            os._exit(1)
        elif method == "server/discover" and era == "modern":
            self._reply(
                request,
                {
                    "supportedVersions": [MODERN],
                    "capabilities": script["capabilities"],
                    "ttlMs": 0,
                    "cacheScope": "private",
                    "resultType": "complete",
                },
            )
        elif method == "initialize" and era != "modern":
            self._reply(
                request,
                {
                    "protocolVersion": script.get("version", LEGACY),
                    "capabilities": script["capabilities"],
                    "serverInfo": {"name": "scripted", "version": "1"},
                },
            )
        elif method == "ping":
            self._reply(request, {})
        elif method == "tools/list":
            self._list(request, script)
        elif method.startswith("tasks/"):
            self._task(request, script)
        elif method in CONTENT:
            self._offer(request, script)
        elif method == "subscriptions/listen" and era == "modern":
            self._listeners.append(request["id"])
            honored = request["params"]["notifications"]
            self._notify("subscriptions/acknowledged", request["id"], notifications=honored)
        else:
            self._refuse(request)

    def _list(self, request: Message, script: Message) -> None:
        start = int(request.get("params", {}).get("cursor", "0"))
        tools: list[Any] = script["tools"]
        end = start + (script["page"] or len(tools) or 1)
        result: Message = {"tools": tools[start:end]}
        if end < len(tools):
            result["nextCursor"] = str(end)
        if script["era"] == "modern":
            result |= {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}
        self._reply(request, result)

    def _offer(self, request: Message, script: Message) -> None:
        """Answer a request for resources, prompts or completion."""
        params: Message = request.get("params", {})
        fresh = {"ttlMs": 0, "cacheScope": "private"} if script["era"] == "modern" else {}
        done = {"resultType": "complete"} if script["era"] == "modern" else {}
        match request["method"]:
            case "resources/list":
                result: Message | None = {"resources": _entries(script["resources"]), **fresh}
            case "resources/templates/list":
                entries = _entries(script["templates"])
                result = {"resourceTemplates": entries, **fresh}
            case "prompts/list":
                result = {"prompts": _entries(script["prompts"]), **fresh}
            case "resources/read":
                contents = _contents(script, params["uri"])
                result = None if contents is None else {"contents": contents, **fresh}
            case "prompts/get":
                result = _messages(script, params)
            case _:
                values = script["completions"].get(params["argument"]["name"], [])
                begun = [one for one in values if one.startswith(params["argument"]["value"])]
                result = {"completion": {"values": begun}}
        if result is None:
            is_resource = request["method"] == "resources/read"
            code = script["missing"] if is_resource else INVALID
            error = {"code": code, "message": "unknown"}
            self._send({"jsonrpc": "2.0", "id": request["id"], "error": error})
        else:
            self._reply(request, {**result, **done})

    def _call(self, request: Message, steps: list[Message], script: Message) -> None:
        """Run the steps in order; the last one should respond."""
        said: Message = {}
        for step in steps or [{"echo": True}]:
            if (params := step.get("ask")) is not None:
                is_modern = script["era"] == "modern"
                answer = self._found(request, params) if is_modern else self._ask(params)
                if answer is None:
                    return
                said = answer
            else:
                self._act(request, step)
                self._reply_to(request, step, said)

    def _act(self, request: Message, step: Message) -> None:
        match step:
            case {"wait_s": seconds}:
                threading.Event().wait(seconds)
            case {"exit": code}:
                os._exit(code)
            case {"line": line}:
                self._write(line)
            case {"warn": text}:
                sys.stderr.write(text + "\n")
                sys.stderr.flush()
            case {"progress": progress}:
                token = request["params"].get("_meta", {}).get("progressToken")
                self._notify("progress", None, progressToken=token, **progress)
            case _:
                pass

    def _reply_to(self, request: Message, step: Message, said: Message) -> None:
        match step:
            case {"error": error}:
                self._send({"jsonrpc": "2.0", "id": request["id"], "error": error})
            case {"result": result}:
                self._reply(request, result)
            case {"task": spec}:
                name = f"{request['params']['name']}-{len(self._heard('tools/call'))}"
                self._begin(request, name, spec)
            case {"told": True}:
                self._say(request, said)
            case {"echo": True}:
                self._say(request, request["params"].get("arguments", {}))
            case _:
                pass

    def _heard(self, method: str) -> list[Message]:
        """The parameters of all messages of a method, in all processes."""
        lines = (self._folder / "heard.jsonl").read_text(encoding="utf-8").splitlines()
        messages = [json.loads(line) for line in lines]
        return [one["params"] for one in messages if one.get("method") == method]

    def _begin(self, request: Message, name: str, spec: Message) -> None:
        (self._folder / f"{name}.task").write_text(json.dumps(spec), encoding="utf-8")
        state = {"taskId": name, "status": "working", **_dates(), **spec["more"]}
        if "task" in request["params"]:
            self._reply(request, {"task": {"ttl": None, **state}})
        else:
            self._reply(request, {"resultType": "task", "ttlMs": None, **state})

    def _task(self, request: Message, script: Message) -> None:
        """Answer about a task: its state is what was heard about it."""
        name = request["params"]["taskId"]
        path = self._folder / f"{name}.task"
        if not path.exists():
            error = {"code": INVALID, "message": "no such task"}
            self._send({"jsonrpc": "2.0", "id": request["id"], "error": error})
            return
        spec: Message = json.loads(path.read_bytes())
        if request["method"] == "tasks/result":
            self._reply(request, spec["result"])
            return
        if request["method"] != "tasks/get":
            self._reply(request, {"resultType": "complete"})
            return
        of_task = {
            method: [one for one in self._heard(method) if one["taskId"] == name]
            for method in ("tasks/get", "tasks/update", "tasks/cancel")
        }
        fields = {key: value for key, value in spec["more"].items() if key != "error"}
        state: Message = {"taskId": name, "ttlMs": None, **_dates(), **fields}
        if of_task["tasks/cancel"]:
            state["status"] = "cancelled"
        elif spec["ask"] is not None and not of_task["tasks/update"]:
            question = {"method": "elicitation/create", "params": spec["ask"]}
            state |= {"status": "input_required", "inputRequests": {"q": question}}
        elif len(of_task["tasks/get"]) < spec["polls"]:
            state["status"] = "working"
        elif "error" in spec["more"]:
            state |= {"status": "failed", "error": spec["more"]["error"]}
        else:
            state |= {"status": "completed", "result": spec["result"]}
        if script["era"] != "modern":
            state = {"ttl": None, **state}
        self._reply(request, {**state, "resultType": "complete"})

    def _found(self, request: Message, params: Message) -> Message | None:
        """Return the client's input; without it, respond with the required input."""
        # Earlier answers are in the state, as the client sends only the last ones.
        known: dict[str, Message] = json.loads(request["params"].get("requestState", "{}"))
        known |= request["params"].get("inputResponses", {})
        if params["message"] in known:
            return known[params["message"]]
        self._reply(
            request,
            {
                "resultType": "input_required",
                "inputRequests": {
                    params["message"]: {"method": "elicitation/create", "params": params}
                },
                "requestState": json.dumps(known),
            },
        )
        return None

    def _ask(self, params: Message) -> Message:
        self._asked += 1
        id = f"ask-{self._asked}"
        self._answered[id] = threading.Event()
        self._send({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params})
        self._answered[id].wait()
        answer = self._answers[id]
        return answer.get("result") or answer

    def _version(self) -> tuple[int, int]:
        """Changes with the script, and costs less than reading it."""
        found = (self._folder / "script.json").stat()
        return found.st_mtime_ns, found.st_ino

    def _announce_forever(self) -> None:
        seen = self._version()
        known = self._script()["announced"]
        while True:
            threading.Event().wait(LOOK_EVERY_S)
            if (version := self._version()) == seen:
                continue
            seen = version
            if (announced := self._script()["announced"]) == known:
                continue
            known = announced
            for listener in self._listeners or [None]:
                self._notify("tools/list_changed", listener)

    def _notify(self, what: str, subscription: object, **params: object) -> None:
        meta = {"_meta": {SUBSCRIPTION: subscription}} if subscription is not None else {}
        self._send(
            {"jsonrpc": "2.0", "method": f"notifications/{what}", "params": {**params, **meta}}
        )

    def _say(self, request: Message, value: Message) -> None:
        text = value.get("text", json.dumps(value))
        self._reply(
            request,
            {
                "content": [{"type": "text", "text": text}],
                "structuredContent": value,
                "resultType": "complete",
            },
        )

    def _refuse(self, request: Message) -> None:
        error = {"code": NOT_FOUND, "message": f"no method {request['method']!r}"}
        self._send({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def _reply(self, request: Message, result: object) -> None:
        self._send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def _send(self, message: Message) -> None:
        self._write(json.dumps(message))

    def _write(self, line: str) -> None:
        with self._writing:
            sys.stdout.buffer.write(line.encode() + b"\n")
            sys.stdout.buffer.flush()


def _dates() -> Message:
    return {"createdAt": "2026-11-17T12:00:00Z", "lastUpdatedAt": "2026-11-17T12:00:00Z"}


def _entries(offered: list[Message]) -> list[Message]:
    """The entries of a list: what the script has, without the contents."""
    return [
        {key: value for key, value in entry.items() if key not in ("contents", "messages")}
        for entry in offered
    ]


def _contents(script: Message, uri: str) -> list[Message] | None:
    for entry in script["resources"]:
        if entry["uri"] == uri:
            contents: list[Message] = entry["contents"]
            return contents
    for entry in script["templates"]:
        start, _, end = entry["uriTemplate"].partition("{")
        if uri.startswith(start) and uri.endswith(end.partition("}")[2]):
            return [{"uri": uri, "mimeType": "text/plain", "text": f"read {uri}"}]
    return None


def _messages(script: Message, params: Message) -> Message | None:
    given: Message = params.get("arguments") or {}
    for prompt in script["prompts"]:
        if prompt["name"] != params["name"]:
            continue
        required = [one["name"] for one in prompt.get("arguments", []) if one.get("required")]
        if not all(name in given for name in required):
            return None
        text = json.dumps(prompt["messages"])
        for name, value in given.items():
            text = text.replace("{" + name + "}", value)
        return {"description": prompt.get("description"), "messages": json.loads(text)}
    return None


if __name__ == "__main__":
    Process(Path(sys.argv[1])).run()
