"""Whole files of other systems, known by marks that only they have; none of them is imported."""

from collections.abc import Callable

from toolweave.json_text import Json, JsonObject
from toolweave.problems import Problem

_N8N = ("n8n-nodes-base.", "@n8n/", "n8n-nodes-")


def foreign_file(document: Json) -> Problem | None:
    """The error about a file of a system whose files cannot be read; None for all others."""
    name = next((name for name, is_of in _SYSTEMS.items() if is_of(document)), None)
    if name is None:
        return None
    return Problem(
        "WORKFLOW_UNKNOWN_DIALECT",
        "",
        f"this is a file of {name}, which Toolweave cannot read or import",
        "build it again from nodes: search_nodes and `toolweave catalog search` find them by "
        "what a step does",
    )


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _objects(value: Json) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _is_n8n(document: Json) -> bool:
    kinds = [one.get("type") for one in _objects(_object(document).get("nodes"))]
    return bool(kinds) and all(isinstance(one, str) and one.startswith(_N8N) for one in kinds)


def _is_actions(document: Json) -> bool:
    jobs = _object(_object(document).get("jobs"))
    return bool(jobs) and all(
        "steps" in _object(job) or "uses" in _object(job) for job in jobs.values()
    )


def _is_node_red(document: Json) -> bool:
    listed = _objects(document)
    return any(isinstance(one.get("wires"), list) and "z" in one for one in listed)


def _is_langflow(document: Json) -> bool:
    inner = _object(_object(document).get("data"))
    nodes = _objects(inner.get("nodes"))
    return bool(nodes) and all("node" in _object(one.get("data")) for one in nodes)


def _is_flowise(document: Json) -> bool:
    nodes = _objects(_object(document).get("nodes"))
    return bool(nodes) and all(
        isinstance(_object(one.get("data")).get("baseClasses"), list) for one in nodes
    )


def _is_state_machine(document: Json) -> bool:
    whole = _object(document)
    return "StartAt" in whole and isinstance(whole.get("States"), dict)


def _is_logic_app(document: Json) -> bool:
    inner = _object(_object(document).get("definition"))
    return "Microsoft.Logic" in str(inner.get("$schema", ""))


def _is_dify(document: Json) -> bool:
    whole = _object(document)
    return whole.get("kind") == "app" and "graph" in _object(whole.get("workflow"))


def _is_make(document: Json) -> bool:
    steps = _objects(_object(document).get("flow"))
    return bool(steps) and all("module" in one for one in steps)


def _is_comfy(document: Json) -> bool:
    whole = _object(document)
    if "last_node_id" in whole and "last_link_id" in whole:
        return True
    return bool(whole) and all("class_type" in _object(one) for one in whole.values())


def _is_kubernetes(document: Json) -> bool:
    return str(_object(document).get("apiVersion", "")).startswith(("argoproj.io", "tekton.dev"))


_SYSTEMS: dict[str, Callable[[Json], bool]] = {
    "n8n": _is_n8n,
    "GitHub Actions": _is_actions,
    "Node-RED": _is_node_red,
    "Langflow": _is_langflow,
    "Flowise": _is_flowise,
    "AWS Step Functions": _is_state_machine,
    "Azure Logic Apps": _is_logic_app,
    "Dify": _is_dify,
    "Make": _is_make,
    "ComfyUI": _is_comfy,
    "Argo or Tekton": _is_kubernetes,
}
