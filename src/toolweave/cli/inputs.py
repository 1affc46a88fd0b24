"""Inputs of a run as they are typed: `NAME=VALUE` pairs, or all as one JSON object."""

from collections.abc import Sequence

import click

from toolweave import json_text
from toolweave.errors import Invalid
from toolweave.json_text import Json, JsonObject


def read_inputs(pairs: Sequence[str], whole: str | None) -> JsonObject:
    """Everything that was given; a pair wins over the object."""
    values: JsonObject = {}
    if whole is not None:
        found = _json(whole, "--inputs")
        if not isinstance(found, dict):
            raise click.BadParameter('expected a JSON object: {"name": value, …}')
        values |= found
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{pair!r} is not of the form NAME=VALUE")
        values[name] = read_value(text)
    return values


def read_value(text: str) -> Json:
    """What was typed: JSON where it is JSON, else a text."""
    try:
        return json_text.read(text)
    except Invalid:
        return text


def _json(text: str, option: str) -> Json:
    try:
        return json_text.read(text)
    except Invalid as error:
        raise click.BadParameter(f"{option}: {error.message}") from None
