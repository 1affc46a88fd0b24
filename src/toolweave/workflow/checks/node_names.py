"""Which catalog node a wrong subtype means. Not a check.

A misspelling speaks for itself. A name of the same meaning is taken unless the settings of the
node contradict it; a word that is only related to a node is taken if the settings are those of
this node and of no other one of its type.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from toolweave.catalog.corrections import CorrectedName, correct
from toolweave.catalog.index import Catalog
from toolweave.catalog.spec import COMMON_CONFIGURATIONS, NODE_TYPES, NodeSpec
from toolweave.patterns import pattern
from toolweave.tools.meaning import is_verb, plain_word, words
from toolweave.tools.misspelling import misspelt
from toolweave.tools.name_words import words_in
from toolweave.tools.other_names import names_of
from toolweave.workflow.checks.foreign_node_names import named_otherwise, node_named
from toolweave.workflow.checks.spelling import closest
from toolweave.workflow.model import Node
from toolweave.workflow.modes import object_at

TOOL = "MCP:"
# A tool that only reads is named with or without such a verb.
_VERB = pattern(r"^(?:get|fetch|read|run|call|do)[_-]", re.IGNORECASE)
# Words around a product in the names of classes.
_OF_LIBRARIES = frozenset(
    {"", "chat", "llm", "model", "client", "node", "agent", "tool", "api", "chatmodel", "lm"}
    | {"generativeai", "ai", "service", "connector", "async", "provider", "sdk"}
)
# What other systems call nodes, by our subtype.
FOREIGN_TYPES = {
    **dict.fromkeys(("schedule", "scheduled", "timer", "interval"), "cron"),
    **dict.fromkeys(("set", "editfields", "setvariable"), "setfields"),
    **dict.fromkeys(
        ("http", "httpcall", "fetch", "restapi", "apicall", "apirequest"), "httprequest"
    ),
    **dict.fromkeys(("rest", "restcall", "webrequest", "callapi", "apirequest"), "httprequest"),
    **dict.fromkeys(("csvparser", "jsonparser", "parsejson", "parsecsv", "xmlparser"), "parse"),
    **dict.fromkeys(("yamlparser", "parser", "parsexml", "parseyaml", "extractfromfile"), "parse"),
    **dict.fromkeys(("readfile", "fileread", "loadfile", "readbinaryfile"), "fileread"),
    **dict.fromkeys(("writefile", "savefile", "filewrite", "writebinaryfile"), "filewrite"),
    **dict.fromkeys(("shell", "bash", "executecommand", "exec", "command"), "runcommand"),
    **dict.fromkeys(("sendemail", "smtp", "mail", "emailsend", "sendmail"), "email"),
    **dict.fromkeys(("pause", "waitfor", "waitseconds"), "delay"),
    **dict.fromkeys(("classifier", "textclassifier", "textclassification"), "classify"),
    **dict.fromkeys(("informationextractor", "extractor", "dataextraction"), "extract"),
    **dict.fromkeys(("splitout", "splitinto"), "split"),
    **dict.fromkeys(("executeworkflow", "callworkflow"), "subworkflow"),
    **dict.fromkeys(("stopanderror", "stopexecution"), "stop"),
    **dict.fromkeys(("iterator", "iteration", "iterate", "loopoveritems"), "foreach"),
    **dict.fromkeys(("sqlquery", "sql", "runsql", "executesql", "executequery"), "databasequery"),
    "sleep": "delay",
    "itemlists": "datatransformation",
}
_COMMON = frozenset(one.name for one in COMMON_CONFIGURATIONS)
# How the models of the providers begin.
MODEL_PREFIXES = {
    "AI_AGENT.OPENAI_CHATGPT": ("gpt", "o1", "o3", "o4", "chatgpt"),
    "AI_AGENT.ANTHROPIC_CLAUDE": ("claude",),
    "AI_AGENT.GOOGLE_GEMINI": ("gemini",),
}


def meant_node(catalog: Catalog, node: Node) -> NodeSpec | None:
    """Return the specification that the wrong type or subtype of a node means."""
    subtype = node.data.get("subtype")
    name = subtype if isinstance(subtype, str) else ""
    spec = _named(catalog, node.type, name)
    if spec is None:
        return _by_settings(catalog, node, name)
    is_misspelt = misspelt(name, [spec.subtype]) is not None
    return spec if is_misspelt or not _contradicts(node, spec) else None


@lru_cache(maxsize=64)
def _named(catalog: Catalog, node_type: str, subtype: str) -> NodeSpec | None:
    """The specification of this name, in another spelling or with other words for the same."""
    # `n8n-nodes-base.code` names a node of another system, whatever its subtype.
    if node_type not in NODE_TYPES and "." in node_type.strip("."):
        tail = plain_word(node_type.rpartition(".")[2])
        if tail not in plain_word(subtype) and plain_word(subtype) not in tail:
            return None
    found = correct(catalog, node_type, subtype)
    # A tool of an unknown server must not match a built-in node with a similar name.
    is_tool = subtype.startswith(TOOL)
    if isinstance(found, CorrectedName) and not (is_tool and found.spec.origin is None):
        return found.spec
    if node_type not in NODE_TYPES:
        named = node_named(node_type.rpartition(".")[2]) if "." in node_type else None
        return catalog.get(*named) if named is not None else None
    if not subtype:
        return None
    of_type = {
        spec.subtype: spec
        for spec in catalog.of_type(node_type)
        if not is_tool or spec.origin is not None
    }
    if is_tool:
        has_server = "/" in subtype
        return (_tool_of_server if has_server else _tool_of_any_server)(subtype, of_type)
    meant = (
        closest(subtype, of_type)
        or _by_words(subtype, of_type)
        # `SCHEDULE` is only related to a trigger: its settings decide.
        or (_by_foreign_name(subtype, of_type) if node_type != "TRIGGER" else None)
        or named_otherwise(node_type, subtype, of_type)
        or _by_product(subtype, of_type)
    )
    return of_type[meant] if meant else None


def _tool_of_any_server(subtype: str, of_type: dict[str, NodeSpec]) -> NodeSpec | None:
    """The only tool with this name, where the server is left out: `MCP:word_count`."""
    name = subtype.removeprefix(TOOL).strip()
    tools = [one for one in of_type.values() if one.origin is not None and one.origin.tool == name]
    return tools[0] if len(tools) == 1 else None


def _tool_of_server(subtype: str, of_type: dict[str, NodeSpec]) -> NodeSpec | None:
    """The tool of the named server without a verb before it: `get_weather` is `weather`."""
    server, _, name = subtype.removeprefix(TOOL).partition("/")
    plain = _VERB.sub("", name)
    found = of_type.get(f"{TOOL}{server}/{plain}") if plain != name else None
    return found if found is not None and found.origin is not None else None


def _by_words(subtype: str, known: Iterable[str]) -> str | None:
    """Return the only subtype of the same words: `TRANSFORM_DATA` is DATA_TRANSFORMATION."""
    given = words(subtype)
    found = [one for one in known if len(given) > 1 and words(one) == given]
    return found[0] if len(found) == 1 else None


def _by_foreign_name(subtype: str, known: Iterable[str]) -> str | None:
    """The subtype that another system has this name for: `EXECUTE_WORKFLOW` of n8n."""
    name = FOREIGN_TYPES.get(plain_word(subtype))
    return next((one for one in known if plain_word(one) == name), None)


def _by_product(subtype: str, known: Iterable[str]) -> str | None:
    """The only subtype with the product that a class of a library is named after: `ChatOpenAI`."""
    letters = plain_word(subtype)
    scores: dict[str, int] = {}
    for one in known:
        parts = one.lower().split("_")
        named = [part for part in parts if len(part) > 4 and part in letters]
        if not named or letters.replace(named[0], "") not in _OF_LIBRARIES:
            continue
        begun = [part for part in parts if part not in named and part[:4] in letters]
        scores[one] = 2 * len(named) + len(begun)
    best = [one for one, score in scores.items() if score == max(scores.values())]
    return best[0] if len(best) == 1 else None


def _by_settings(catalog: Catalog, node: Node, subtype: str) -> NodeSpec | None:
    """The only node of a type that the name is related to and whose settings these are.

    A `SCHEDULE` with a `cron_expression` is a CRON trigger.
    """
    if not subtype or node.type not in NODE_TYPES or subtype.startswith(TOOL):
        return None
    specs = [one for one in catalog.of_type(node.type) if one.origin is None]
    given = _own_names(node)
    fitting = [one for one in specs if given and given <= _names(one)] or [
        one for one in specs if given and all(_has(one, name) for name in given)
    ]
    if len(fitting) != 1 or _contradicts(node, fitting[0]):
        return None
    word = subtype.casefold().replace("_", " ").replace("-", " ")
    chosen = [field.name for field in fitting[0].configurations if word in field.options]
    if chosen:
        # A product or a kind that one of its settings chooses, if it does.
        settings = object_at(node.data, "configurations")
        return fitting[0] if any(settings.get(name) == word for name in chosen) else None
    # A word of several nodes chooses none of them.
    related = [one for one in specs if word in one.keywords] or [
        one for one in specs if _shares_stem(subtype, one.subtype)
    ]
    return fitting[0] if related == fitting else None


def _shares_stem(subtype: str, known: str) -> bool:
    return any(_is_one_stem(one, other) for one in words_in(subtype) for other in words_in(known))


def _is_one_stem(one: str, other: str) -> bool:
    if one == other or is_verb(one) or is_verb(other):
        return one == other  # `query` is no `search` here
    (mine,), (theirs,) = words(one), words(other)
    short, long = sorted((mine, theirs), key=len)
    return len(short) > 4 and long.startswith(short)


def _own_names(node: Node) -> frozenset[str]:
    settings = object_at(node.data, "configurations").keys() - _COMMON
    return frozenset(settings | object_at(node.data, "inputParams").keys())


def _names(spec: NodeSpec) -> frozenset[str]:
    fields = (*spec.configurations, *spec.inputs)
    return frozenset(name for one in fields for name in (one.name, *one.aliases))


def _has(spec: NodeSpec, name: str) -> bool:
    """Whether a node has this setting or input, under its own name or that of another system."""
    return name in _names(spec) or bool(names_of(spec.ref).settings.meant(name, spec.ref))


def _contradicts(node: Node, spec: NodeSpec) -> bool:
    """Whether all settings of a node are others, or its model is of another provider."""
    given = _own_names(node)
    if len(given) > 1 and not any(_has(spec, name) for name in given):
        return True
    model = object_at(node.data, "configurations").get("model")
    ours = MODEL_PREFIXES.get(spec.ref)
    others = tuple(one for ref, some in MODEL_PREFIXES.items() if ref != spec.ref for one in some)
    return ours is not None and isinstance(model, str) and model.lower().startswith(others)
