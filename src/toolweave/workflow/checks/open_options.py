"""Values of fields with suggestions, such as models: other values are allowed, misspellings not.

A value that is a suggestion but for its spelling, the maker's name before it or its first words
is no new one: `GPT 5 Mini`, `openai/gpt-5-mini`, `3-small`.
"""

from collections.abc import Iterator, Mapping

from toolweave.catalog.spec import NodeSpec
from toolweave.json_text import Json
from toolweave.patterns import pattern
from toolweave.problems import Problem, pointer
from toolweave.tools.misspelling import misspelt
from toolweave.tools.value_preview import shown
from toolweave.workflow.checks.context import CheckContext
from toolweave.workflow.checks.node_facts import node_table

_SIGNS = pattern(r"[\s_\-/:.]+")
_MIN_PART = 4


def check(case: CheckContext) -> Iterator[Problem]:
    """Yield values that are a suggestion in another spelling."""
    for facts, _, suggested in node_table(case).having(_suggested):
        settings = facts.settings
        if settings.get("base_url"):
            continue  # another server has its own names
        for name in settings.keys() & suggested.keys():
            place = f"{facts.place}/configurations{pointer(name)}"
            yield from _problems(settings[name], suggested[name], place)


def _suggested(spec: NodeSpec) -> Mapping[str, tuple[str, ...]]:
    if spec.origin is not None:
        return {}
    fields = (one for one in spec.configurations if one.is_open and one.options)
    return {one.name: one.options for one in fields}


def _problems(value: Json, options: tuple[str, ...], place: str) -> Iterator[Problem]:
    if isinstance(value, list):
        for at, one in enumerate(value):
            yield from _problems(one, options, f"{place}/{at}")
    elif (
        isinstance(value, str) and value not in options and "{{" not in value and "${" not in value
    ) and (longer := _cut_short(value, options)):
        listed = ", ".join(longer)
        message = f"{shown(value)} is no complete name; these begin so: {listed}"
        hint = f"choose one of {listed}" if len(longer) > 1 else f"write the whole name, {listed}"
        yield Problem("FIELD_OPTION_INVALID", place, message, hint=hint, severity="warning")
    elif (
        isinstance(value, str) and value not in options and "{{" not in value and "${" not in value
    ) and (meant := _meant(value, options)) is not None:
        yield Problem(
            "FIELD_OPTION_INVALID",
            place,
            f"{shown(value)} is another spelling of {meant!r}",
            hint=f"did you mean {meant!r}?",
            severity="warning",
            patch=({"op": "replace", "path": place, "value": meant},),
        )


def _cut_short(value: str, options: tuple[str, ...]) -> list[str]:
    """The suggestions that go on with another word after this one: `claude-sonnet`."""
    plain = _plain(value)
    return [
        one for one in options if len(plain) >= _MIN_PART and _plain(one).startswith(f"{plain}-")
    ]


def _meant(value: str, options: tuple[str, ...]) -> str | None:
    plain = _plain(value)
    same = [one for one in options if _plain(one) == plain]
    maker, _, last = value.rpartition("/")
    same = same or [one for one in options if maker and _plain(one) == _plain(last)]
    # What is cut off at its end is another name of many a model.
    ends = [one for one in options if _plain(one).endswith(f"-{plain}")]
    same = same or (ends if len(plain) >= _MIN_PART else [])
    if same:
        return same[0] if len(same) == 1 else None
    return misspelt(value, options)


def _plain(name: str) -> str:
    return _SIGNS.sub("-", name.strip().casefold())
