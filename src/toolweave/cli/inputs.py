"""Inputs of a run on the command line: `NAME=VALUE` pairs, or one JSON object."""

from collections.abc import Sequence

import click

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject


def read_inputs(pairs: Sequence[str], whole: str | None) -> JsonObject:
    """Merge all inputs; a pair overrides the object."""
    values: JsonObject = {}
    if whole is not None:
        found = _json(whole, "--inputs")
        if not isinstance(found, dict):
            raise click.BadParameter('expected a JSON object: {"name": value, …}')
        values |= found
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not name or not equals:
            hint = "; pass a JSON object with --inputs" if pair.lstrip().startswith("{") else ""
            raise click.BadParameter(f"{pair!r} is not in the form NAME=VALUE{hint}")
        values[name] = read_value(text)
    return values


def read_value(text: str) -> Json:
    """Parse JSON; anything else is text."""
    try:
        return json_text.read(text)
    except Invalid:
        return text


def _json(text: str, option: str) -> Json:
    try:
        return json_text.read(text)
    except Invalid as error:
        raise click.BadParameter(f"{option}: {error.message}") from None
