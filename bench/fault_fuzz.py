"""Five parsers fed with damaged texts: each must answer or refuse, within a bound of work.

The texts are those of the repository, cut, doubled, mixed and with characters that parsers stumble
over. Only a `ToolweaveError` is a refusal; anything else that is raised is a fault.
"""

import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import anyio.to_thread
from bench.fault_atheris import fuzz, installed
from bench.fault_rows import Found, Part, say

from toolweave import json_text
from toolweave.cel.language import evaluate
from toolweave.cel.templates import substitute
from toolweave.documents.document import read_document
from toolweave.errors import ToolweaveError
from toolweave.json_text import Json, JsonObject
from toolweave.tools.read_tool import read_tool
from toolweave.workflow.formats.load import load
from toolweave.workflow.yaml_text import read_yaml

ROOT = Path(__file__).parents[1]
MAX_CHARS = 20_000
# CPU that one text of at most `MAX_CHARS` may cost.
LONGEST_S = 2.0
NAMES: JsonObject = {"data": {"items": [1, 2, 3], "text": "abc", "nested": {"a": None}}}
ODD = (
    *("\0", "\ufeff", "\u2028", "\u202e", "\x85", "\udcff", "\U0010ffff", "\r", "\t", "\\u0000"),
    *("{{", "}}", "{", "}", "[", "]", '"', "'", "```", "---", "<!--", "&a *a", "!!python/x", "%"),
    *("1e999", "-0", "9" * 400, "null", "NaN", "\\", "(?:", "#" * 50, "* " * 50, "[" * 300),
    *(".all(x, ", "matches('(a*)*')", "${vault:x}", "__class__", "$ref", "\n\n", ": ", "- "),
)

VALUES: tuple[Json, ...] = (None, True, -1, 1e308, 2**70, "", [], {}, [[]], {"": None}, "x" * 5_000)

Target = Callable[[str], object]


def _bytes(text: str) -> bytes:
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return text.encode(errors="surrogatepass")


def _tool(text: str) -> object:
    return read_tool("server", json_text.read(text))


def _expression(text: str) -> object:
    return evaluate(text, NAMES), substitute(text, lambda one: evaluate(one, NAMES))


TARGETS: dict[str, Target] = {
    "json": lambda text: json_text.read(_bytes(text)),
    "yaml": lambda text: read_yaml(_bytes(text), max_depth=100),
    "expressions": _expression,
    "documents": lambda text: read_document(_bytes(text), ["demo"]),
    "workflows": lambda text: load(_bytes(text)),
    "tools": _tool,
}
# JSON is in C, so that there is no coverage: it is read within tools.
SEEDS = 200
PARSERS = ("yaml", "expressions", "documents", "workflows", "tools")


@cache
def samples() -> tuple[str, ...]:
    """Texts to begin with: pages, workflows, expressions, a tool."""
    files = [
        *sorted((ROOT / "docs").glob("*.md"))[:10],
        *sorted((ROOT / "src/toolweave/templates").glob("*.json"))[:20],
    ]
    texts = [path.read_text(encoding="utf-8")[:MAX_CHARS] for path in files]
    return (
        *texts,
        "data.items.map(x, x * 2).filter(y, y > 2).size() > 0 ? data.text + 'é' : \"no\"",
        "{{ data.nested.a }} and {{ data.items[0] }}",
        "name: demo\nports: [80, 443]\nmore:\n  - a: |\n      text\n    b: null\n",
        '{"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}'
        ', "$defs": {"b": {"type": "array", "items": {"pattern": "^a+$"}}}}}',
    )


@cache
def is_json(text: str) -> bool:
    """Whether a sample is an object."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def damaged(dice: Random) -> str:
    """A text with one to eight damages; half of the JSON ones stay JSON."""
    text = dice.choice(samples())
    if is_json(text) and dice.random() < 0.5:
        value: Json = json.loads(text)
        for _ in range(dice.randint(1, 8)):
            _change_somewhere(value, dice)
        return json.dumps(value)[:MAX_CHARS]
    for _ in range(dice.randint(1, 8)):
        at = dice.randrange(len(text) + 1)
        end = min(len(text), at + dice.choice((1, 3, 20, 500)))
        piece = dice.choice((text[at:end], dice.choice(ODD), dice.choice(samples())[at:end]))
        times = dice.choice((0, 1, 1, 2, 30))
        text = (text[:at] + piece * times + text[end:])[:MAX_CHARS]
    return text


def _change_somewhere(value: Json, dice: Random) -> None:
    """Put an odd value in the place of some member."""
    while isinstance(value, dict | list) and value:
        places: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
        place = dice.choice(places)
        inner: Json = value[place]
        if not isinstance(inner, dict | list) or not inner or dice.random() < 0.2:
            odd: list[Json] = [*VALUES, dice.choice(ODD), [inner], {"a": inner}]
            value[place] = deepcopy(dice.choice(odd))
            return
        value = inner


def faults_of(
    target: Target, dice: Random, times: int, longest_s: float = math.inf
) -> Iterator[str]:
    """What went wrong with so many texts."""
    for _ in range(times):
        text = damaged(dice)
        began = time.process_time()
        try:
            target(text)
        except ToolweaveError:
            pass
        except (Exception, RecursionError) as error:
            yield f"{type(error).__name__}: {error} for {text[:200]!r}"
        if time.process_time() - began > longest_s:
            yield f"{time.process_time() - began:.1f} s for {text[:200]!r}"


def mutated(dice: Random, seconds: float) -> Found:
    """Every parser for so long, without looking at coverage."""
    found = Found()
    for name, target in TARGETS.items():
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found.wrong += [f"{name}: {one}" for one in faults_of(target, dice, 100, LONGEST_S)]
            found.faults += 100
    found.note = f"ok: {found.faults:,} texts, without Atheris"
    return found


def guided(dice: Random, seconds: float) -> Found:
    """Every parser for so long by Atheris."""
    found, seen = Found(), list[str]()
    for name in PARSERS:
        texts = [*samples(), *(damaged(dice) for _ in range(SEEDS))]
        number, covered, fault = _by_atheris(name, seconds, texts, dice.randrange(1, 2**31))
        say(f"{name}: {number} texts, coverage {covered} {fault}")
        found.faults += number
        seen.append(f"{name} {number:,} (coverage {covered:,})")
        if fault or not covered:
            found.wrong.append(f"{name}: {fault or 'no coverage'}")
    found.note = f"ok: {seconds:.0f} s each by Atheris: {', '.join(seen)}"
    return found


def broken(dice: Random) -> Found:
    """The control: a parser with a fault."""
    if not installed():
        return Found(wrong=[*faults_of(breaks_on_nul, dice, 2_000)])
    _, _, fault = _by_atheris("broken", 60, ["data"], 7)
    return Found(wrong=["a broken parser is found"] if "a NUL" in fault else [])


def _by_atheris(name: str, seconds: float, texts: list[str], seed: int) -> tuple[int, int, str]:
    with tempfile.TemporaryDirectory(prefix="toolweave-fuzz-") as folder:
        for number, text in enumerate(texts):
            Path(folder, str(number)).write_bytes(_bytes(text))
        return fuzz(name, seconds, Path(folder), seed)


def fuzzed(seconds: float) -> Part:
    """Every parser, guided by coverage where Atheris can be installed."""

    async def work(dice: Random) -> Found:
        by = guided if installed() else mutated
        return await anyio.to_thread.run_sync(by, dice, seconds)

    async def control(dice: Random) -> Found:
        return await anyio.to_thread.run_sync(broken, dice)

    return Part("fuzzed parsers", work, control, 600)


def breaks_on_nul(text: str) -> None:
    """A parser with a fault."""
    if "\0" in text:
        raise ValueError("a NUL")


TARGETS_OF_CONTROLS: dict[str, Target] = {"broken": breaks_on_nul}
