"""Real repositories for tests, made with git itself, and their flows and templates."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ENVIRON = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "test",
    "GIT_AUTHOR_EMAIL": "test@example.com",
    "GIT_COMMITTER_NAME": "test",
    "GIT_COMMITTER_EMAIL": "test@example.com",
}


def template_node(node: str, template: str, variables: list[str]) -> dict[str, Any]:
    """A node that runs a saved template."""
    data = {
        "label": node,
        "template": "unused",
        "variables": variables,
        "selectedTemplateId": template,
    }
    return {"id": node, "type": "template", "data": data}


def flow(name: str, nodes: list[dict[str, Any]], *ways: str) -> dict[str, Any]:
    """A flow in the seed's own form; a way is `a > b`."""
    pairs = [way.split(" > ") for way in ways]
    edges = [
        {"id": f"edge-{at}", "source": source, "target": target, "type": "chain"}
        for at, (source, target) in enumerate(pairs)
    ]
    metadata = {"name": name, "version": "1.0.0", "description": f"The flow {name}"}
    return {"metadata": metadata, "nodes": nodes, "edges": edges}


INPUT = {
    "id": "node-1",
    "type": "multi_input",
    "data": {"label": "Given", "variables": ["company_name", "market", "budget"]},
}
RESULT = {"id": "node-4", "type": "result", "data": {"label": "Plan"}}
MARKETING = flow(
    "Marketing_Strategy",
    [
        INPUT,
        template_node("node-2", "Brand_Positioning", ["company_name", "market"]),
        template_node("node-3", "Campaign", ["node2_result", "budget"]),
        RESULT,
    ],
    "node-1 > node-2",
    "node-2 > node-3",
    "node-3 > node-4",
)
TEMPLATES = {
    "metadata": {"version": "1.0.0"},
    "templates": [
        {
            "id": "t-1",
            "title": "Brand_Positioning",
            "template": "Position {company_name} in {market}.",
            "variables": ["company_name", "market"],
            "version": "1.0.0",
            "variableValueSets": [
                {"id": "s-1", "name": "Tech", "values": {"company_name": "TechCorp"}}
            ],
        },
        {
            "id": "t-2",
            "title": "Campaign",
            "template": "{node2_result} Spend {budget}, after {node2_template}.",
            "variables": ["node2_result", "budget"],
        },
    ],
}
GIVEN: Mapping[str, str] = {"company_name": "TechCorp", "market": "AI", "budget": "100K"}
FILES: Mapping[str, Any] = {
    "flows/Marketing_Strategy.json": MARKETING,
    "templates/all.json": TEMPLATES,
}


class Repo:
    """A repository in a folder."""

    def __init__(self, folder: Path, files: Mapping[str, Any] = FILES) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit(files)

    def commit(self, files: Mapping[str, Any]) -> str:
        """Write files, JSON where they are not bytes, and commit everything there is."""
        for path, content in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            file.write_bytes(data)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=change")
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str) -> str:
        """One command of git in the folder."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=ENVIRON, check=True, capture_output=True
        )
        return done.stdout.decode().strip()
