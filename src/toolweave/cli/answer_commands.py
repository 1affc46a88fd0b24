"""The commands that answer a question."""

from toolweave import json_text
from toolweave.workflow.question import Question


def answer_commands(question: Question, id_: str) -> list[str]:
    """Return the commands by which a person can answer a question."""
    command = f"`toolweave inbox answer {id_}"
    if question.kind == "approval":
        return [f"{command} --approve` or `--decline`"]
    if question.kind == "choice" and question.options:
        return [f"{command} --reply {json_text.write(option)}`" for option in question.options]
    properties = question.schema.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    if not names:
        return [f"{command} --reply VALUE`"]
    return [f"{command} {' '.join(f'--set {name}=…' for name in names)}`"]
