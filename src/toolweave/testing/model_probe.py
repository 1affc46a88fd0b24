"""The scripted model's answers to Toolweave's probe of structured output."""

import json
from typing import Literal

from toolweave.assistant.structured_output import PROBE
from toolweave.testing.model_wire import Body, Turn

Ability = Literal["tools", "json_schema", "format"]
ALL: frozenset[Ability] = frozenset({"tools", "json_schema"})


def is_probe(body: Body) -> bool:
    """Whether a request is a probe."""
    return PROBE in json.dumps(body)


def probe_turn(body: Body, abilities: frozenset[Ability]) -> Turn:
    """Answer a probe as an endpoint with these abilities does; others are ignored."""
    given = {"color": "blue"}
    if "tools" in body:
        if "tools" in abilities:
            return Turn(calls=((PROBE, {"color": "blue"}),), stopped="tools")
    elif ("format" in body and "format" in abilities) or (
        "response_format" in body and "json_schema" in abilities
    ):
        return Turn(text=json.dumps(given))
    return Turn(text="It is blue.")
