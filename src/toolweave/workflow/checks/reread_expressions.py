"""Expressions with unknown names that are none when read in another way. Not a check.

`first-part.sum` is a node with a hyphen, `headers.x-id` a key with one, `load/rows` a path, and
`open` a text without quotes; each only if every name exists when it is read so.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from toolweave.cel.language import compile_text
from toolweave.cel.paths import PathReference
from toolweave.patterns import pattern
from toolweave.workflow.checks.expression_rewrites import with_quoted_keys, with_quoted_words
from toolweave.workflow.checks.path_repair import PathRepair
from toolweave.workflow.checks.path_rewriting import rewritten, with_quoted_ids
from toolweave.workflow.model import Node
from toolweave.workflow.scope.references import NodeReferences
from toolweave.workflow.scope.resolved_path import ResolvedPath
from toolweave.workflow.scope.scope import Scope

_Wrong: TypeAlias = Sequence[tuple[PathReference, ResolvedPath]]
_OF_ITEM = pattern(r"\{\{\s*(?:item|row|record|it|this|each|element)\.([\w.]+)\s*\}\}")
_NAME = pattern(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_FIELD = pattern(r"(?:^|_)(?:field|path|column)s?$")
# What other languages have under these names.
_OF_LANGUAGES = frozenset(
    {"str", "int", "float", "bool", "list", "dict", "set", "tuple", "len", "re", "os", "datetime"}
    | {"now", "today", "Math", "Date", "JSON", "Object", "Array", "Number", "String", "Boolean"}
    | {"console", "window", "process", "moment", "luxon", "DateTime", "NaN", "Infinity"}
)
# Settings whose members are the paths of fields.
_MAPPING = pattern(r"^(?:field|column|key)_?mapping$|^mapping$|^rename$")
# A quotient has spaces or numbers.
# Names of other languages for null, outside of texts.
_NOTHING = pattern(r"""(?P<text>'[^']*'|"[^"]*")|(?<![\w.])(?:nil|NULL|Null|NONE)(?![\w.(])""")
_HYPHENS = pattern(r"(?<=[A-Za-z_])-(?=[A-Za-z_])")
# `{name: x}` of JavaScript.
_KEYS = pattern(r"([{,]\s*)([A-Za-z_]\w*)\s*:")
_SLASHES = pattern(r"(?<=[A-Za-z_\]])/(?=[A-Za-z_])")


class OtherReading(NamedTuple):
    """The reference that is no name, the expression as it is meant, and a hint."""

    wrong: tuple[PathReference, ResolvedPath]
    ours: str
    hint: str


def field_meant(asked: NodeReferences) -> str | None:
    """`total` for `{{ item.total }}` in a setting that names a field, `hit` for `{{ hit }}`."""
    name = next((one for one in reversed(asked.steps) if isinstance(one, str)), "")
    found = _OF_ITEM.fullmatch(asked.text)
    if asked.language != "config":
        return None
    is_mapped = any(isinstance(one, str) and _MAPPING.search(one) for one in asked.steps[:-1])
    if found is not None and (_FIELD.search(name) or is_mapped):
        return found[1]
    named = _NAME.fullmatch(asked.text) if name.endswith("_variable") else None
    return named[1] if named is not None else None


def reread(
    scope: Scope, repair: PathRepair, node: Node, asked: NodeReferences, wrong: _Wrong
) -> OtherReading | None:
    """Return the only other reading of an expression with unknown names."""
    named = next((one for one in wrong if one[1].trouble == "name"), None)
    if named is None:
        return None
    for ours, hint in _readings(scope, asked):
        expression = compile_text(ours)
        is_known = expression.is_usable and not any(
            scope.find(node, one.path, asked.language).trouble for one in expression.references
        )
        if is_known:
            return OtherReading(named, ours, f"{hint}: {ours!r}")
    return _with_quotes(repair, node, asked, wrong) or _of_item(scope, repair, node, asked, wrong)


def _of_item(
    scope: Scope, repair: PathRepair, node: Node, asked: NodeReferences, wrong: _Wrong
) -> OtherReading | None:
    """Read names that nothing is like as fields of the item, whose fields are not known."""
    is_of_item = asked.language == "own" and scope.is_own_name(node, "item") and asked.path is None
    if not is_of_item or not scope.find(node, ("item",), asked.language).shape.is_unknown:
        return None
    names = {str(ref.path[0]) for ref, _ in wrong}
    is_clear = all(
        one.trouble == "name" and repair.meant(node, ref.path, asked.language) is None
        for ref, one in wrong
    )
    # A word that is compared may be a text without quotes.
    if not is_clear or names & _OF_LANGUAGES or "type(" in asked.ours:
        return None
    if with_quoted_words(asked.ours, names) is not None:
        return None
    ours = asked.ours
    for path in dict.fromkeys(ref.path for ref, _ in wrong):
        ours = rewritten(ours, path, ("item", *path)) or ""
    if not compile_text(ours).is_usable:
        return None
    return OtherReading(wrong[0], ours, f"a field of the item is written so: {ours!r}")


def _readings(scope: Scope, asked: NodeReferences) -> Iterator[tuple[str, str]]:
    if "{" in asked.ours and (ours := _KEYS.sub(r"\1'\2':", asked.ours)) != asked.ours:
        yield ours, "a key is a text in quotes"
    if (ours := _NOTHING.sub(lambda one: one["text"] or "null", asked.ours)) != asked.ours:
        yield ours, "nothing is null"
    if "-" in asked.ours:
        if (ours := with_quoted_ids(asked.ours, scope.graph.nodes)) is not None:
            yield ours, "an id with a hyphen is written in brackets"
        if (ours := with_quoted_keys(asked.ours)) is not None:
            yield ours, "a key with a hyphen is written in brackets"
        if (ours := _HYPHENS.sub("_", asked.ours)) != asked.ours:
            yield ours, "the name has an underscore"
    if "/" in asked.ours and (ours := _SLASHES.sub(".", asked.ours)) != asked.ours:
        yield ours, "a path has points"


def _with_quotes(
    repair: PathRepair, node: Node, asked: NodeReferences, wrong: _Wrong
) -> OtherReading | None:
    """Read words that no name is like as texts, where they are compared or listed."""
    if any(one.trouble != "name" or len(ref.path) > 1 for ref, one in wrong):
        return None
    if any(repair.meant(node, ref.path, asked.language) for ref, _ in wrong):
        return None
    ours = with_quoted_words(asked.ours, {str(ref.path[0]) for ref, _ in wrong})
    meant = None if ours is None else compile_text(ours)
    # Two texts are not compared: `kind` in `kind == 'bug'` is a field of something.
    if ours is None or meant is None or not meant.is_usable or not meant.references:
        return None
    return OtherReading(wrong[0], ours, f"a text is written in quotes: {ours!r}")
