"""Corrects wrong paths in expressions. Not a check.

A path is corrected step by step until all of it is known; an expression is only returned if it
reads the correct path and no longer the wrong one.
"""

from functools import cached_property

from toolweave.cel.paths import Path, Step
from toolweave.cel.tokens import is_name
from toolweave.tools.meaning import plain_word, words
from toolweave.tools.misspelling import misspelt
from toolweave.workflow.checks.field_repair import (
    WRAPPERS,
    fields_meant,
    first_item,
    input_meant,
    main_output,
    only_field,
    port_meant,
)
from toolweave.workflow.checks.path_words import (
    ALL_NODES,
    ANY_OUTPUT,
    APART,
    BEFORE,
    FROM_ZERO,
    ITEM_WORDS,
    ITEMS,
    OF_REQUESTS,
)
from toolweave.workflow.checks.run_input_names import is_run_input
from toolweave.workflow.checks.spelling import MAX_LOOKED_UP, Spelling, closest
from toolweave.workflow.model import Node, NodeId
from toolweave.workflow.modes import object_at
from toolweave.workflow.scope.loop_items import counts, loop_variable
from toolweave.workflow.scope.reachability import is_loop
from toolweave.workflow.scope.references import Language
from toolweave.workflow.scope.resolved_path import ResolvedPath
from toolweave.workflow.scope.scope import TABLE, Scope
from toolweave.workflow.shapes import Kind, look_up

_MAX_STEPS = 4
_WEBHOOK = "TRIGGER.WEBHOOK"
_LIST: frozenset[Kind] = frozenset({"array"})
_TEXT: frozenset[Kind] = frozenset({"string"})
# What a node read from the text that it gives as well.
_PARSED = "json"
# A short name with one letter changed is another word: `date` is not `data`.
_SHORT = 5


class PathRepair:
    """Corrects the paths of one workflow, a limited number: each compares all names."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._left = MAX_LOOKED_UP

    @property
    def is_spent(self) -> bool:
        """Whether the limit is reached."""
        return self._left <= 0

    def meant(
        self, node: Node, path: Path, language: Language, first: ResolvedPath | None = None
    ) -> Path | None:
        """Return the path that a wrong one means; None if that is not clear."""
        for _ in range(_MAX_STEPS):
            found = first or self._scope.find(node, path, language)
            first = None
            if found.trouble is None:
                return path
            self._left -= found.trouble in {"name", "node"}
            changed = self._step(node, path, found, language) if self._left >= 0 else None
            if changed is None:
                return None
            path = changed
        return None

    def declared(self, node: Node, path: Path) -> Path | None:
        """`trigger.city` for `city`: the only value before a node that has a field of this name."""
        parts = (object_at(node.data, part) for part in ("configurations", "inputParams"))
        if self.is_spent or any(path[0] in part for part in parts):
            return None  # its own value of this name may be meant
        reach, giving = self._scope.reach, self._giving.get(str(path[0]), [])
        found = [x for x in giving if x == "trigger" or reach.can_have_run(NodeId(x), node.id)]
        return (found[0], *path) if len(found) == 1 else None

    @cached_property
    def _giving(self) -> dict[str, list[str]]:
        """The nodes that give a field of each name; those that start a run are the trigger."""
        found: dict[str, list[str]] = {name: ["trigger"] for name in self._scope.trigger.fields}
        for owner in self._scope.graph.nodes:
            if is_name(owner) and not self._scope.is_started_with(owner):
                for name in self._scope.value_of(owner).fields:
                    found.setdefault(name, []).append(owner)
        return found

    def _step(self, node: Node, path: Path, found: ResolvedPath, language: Language) -> Path | None:
        wrong = path[found.at]
        if found.trouble == "field":
            return self._field(node, path, found, language)
        if not isinstance(wrong, str):
            return None
        match found.trouble:
            case "name":
                return self._root(node, path, language)
            case "node":
                other = self._node(node, wrong)
                return None if other is None else (path[0], other, *path[2:])
            case "port":
                return port_meant(self._scope, path, found)
            case "order":
                return self._item(node, path)
            case _:
                return None

    def _field(
        self, node: Node, path: Path, found: ResolvedPath, language: Language
    ) -> Path | None:
        """The path with the intended field, or the one that begins elsewhere."""
        for other in (
            self._own_data(node, path, found, language),
            self._variable(node, path),
            self._singular(node, path, found),
            self._elsewhere(node, path) if path[0] == "inputs" else None,
            self._of_item(node, path, found, language),
            self._parsed(node, path, found, language),
            first_item(path, found),
        ):
            if other is not None:
                return other
        if path[0] == "inputs":
            return None
        meant = self.fields(path, found) or self._without_layer(node, path, found, language)
        meant = meant or self._by_meaning(path, found)
        if not meant and (inside := self._in_answer(path, found)) is not None:
            meant = [inside]
        if not meant and path[0] == "input" and found.at == 1:
            return self._elsewhere(node, path)
        if len(meant) != 1 or self.of_others(node, path, found):
            return None
        return meant[0] if self._is_clear(path, found, meant[0]) else None

    def _parsed(
        self, node: Node, path: Path, found: ResolvedPath, language: Language
    ) -> Path | None:
        """`get.json.id` for `get.body.id`: a text has no fields, what is read from it may."""
        if found.at < 2 or found.shape.kinds != _TEXT or path[found.at - 1] != "body":
            return None
        outer = path[: found.at - 1]
        parsed = self._scope.find(node, outer, language).shape.fields.get(_PARSED)
        is_open = parsed is not None and parsed.is_unknown
        return (*outer, _PARSED, *path[found.at :]) if is_open else None

    def _in_answer(self, path: Path, found: ResolvedPath) -> Path | None:
        """`get.json.id` for `get.id`: a field of what a request read, and none of the request."""
        wrong, fields = path[found.at], found.shape.fields
        if not isinstance(wrong, str) or found.node is None or found.at != 1:
            return None
        is_answer = {"body", _PARSED, "status_code"} <= fields.keys() and fields[_PARSED].is_unknown
        if not is_answer or plain_word(wrong) in OF_REQUESTS or wrong in ANY_OUTPUT:
            return None
        return (path[0], _PARSED, *path[1:])

    def _own_data(
        self, node: Node, path: Path, found: ResolvedPath, language: Language
    ) -> Path | None:
        """`data.total` for `input.total`, where the input `data` of the node has it."""
        if path[0] != "input" or found.at != 1 or language != "own":
            return None
        is_there = look_up(self._scope.data_of(node.id), path[1]).verdict == "named"
        return ("data", *path[1:]) if is_there else None

    def of_others(self, node: Node, path: Path, found: ResolvedPath) -> list[Path]:
        """The same path of other earlier nodes, where the output has a name of its own.

        Either the node or the output is the wrong one. What any node may give says nothing.
        """
        wrong, below = path[found.at], path[1:]
        is_of_node = found.at == 1 and (
            path[0] == "input" or (found.node is not None and path[0] == found.node)
        )
        if not is_of_node or not isinstance(wrong, str) or wrong in ANY_OUTPUT:
            return []
        if closest(wrong, found.shape.fields):
            return []  # a misspelling is nearer
        reach = self._scope.reach
        others = (
            (one, *below)
            for one in self._giving.get(wrong, [])
            if one == "trigger" or (one != path[0] and reach.can_have_run(NodeId(one), node.id))
        )
        return [one for one in others if self._scope.find(node, one).trouble is None]

    def _of_item(
        self, node: Node, path: Path, found: ResolvedPath, language: Language
    ) -> Path | None:
        """`item.price` for `data.price` of each item, `load.rows` for `data.load.rows`."""
        if found.at == 1 and len(path) > 2 and self._is_earlier(node, "", path[1]):
            return path[1:]
        match path:
            case ("loop", str() as counter, *rest) if counter in FROM_ZERO:
                return ("loop", "index", *rest)
            case ("data", str() as field, *rest) if found.at == 1 and language == "own":
                is_list = found.shape.kinds == _LIST
                is_each = is_list and self._scope.is_own_name(node, "item")
                return ("item", field, *rest) if is_each else None
            case _:
                return None

    def _is_clear(self, path: Path, found: ResolvedPath, meant: Path) -> bool:
        """Whether a field of another name is the same thing: not of a loop or a disabled node.

        A counter of other systems begins at 1, and a disabled node passes on what it is given.
        """
        root = self._scope.graph.nodes.get(NodeId(str(path[0])))
        is_off = root is not None and object_at(root.data, "configurations").get("enabled") is False
        if path[0] != "loop" and not is_off:
            return True
        same_length = len(path) == len(meant)
        return same_length and misspelt(str(path[found.at]), [str(meant[found.at])]) is not None

    def fields(self, path: Path, found: ResolvedPath) -> list[Path]:
        """The paths that one with an unknown field may mean."""
        node = self._scope.graph.nodes.get(found.node) if found.node else None
        ref = (node and node.ref) or ""
        meant = fields_meant(found.shape, path, found.at, ref) or only_field(path, found)
        is_body = len(meant) == 1 and len(meant[0]) > len(path) and meant[0][found.at] == "body"
        # What a webhook is asked by GET comes in the query.
        return [] if is_body and self._may_be_asked() else meant

    def _without_layer(
        self, node: Node, path: Path, found: ResolvedPath, language: Language
    ) -> list[Path]:
        """`a.content` for `a.output.content`, where `output` is a text without fields."""
        before = path[: found.at - 1]
        if found.at < 2 or path[found.at - 1] not in WRAPPERS or "object" in found.shape.kinds:
            return []
        shorter: Path = (*before, *path[found.at :])
        target = self._scope.find(node, before, language)
        is_named = (
            target.trouble is None and look_up(target.shape, path[found.at]).verdict == "named"
        )
        return [shorter] if is_named else []

    def _by_meaning(self, path: Path, found: ResolvedPath) -> list[Path]:
        """The declared input or the main output that a name means."""
        if found.at == 1 and self._scope.is_started_with(str(path[0])):
            return input_meant(self._scope.inputs, path, 1)
        node = self._scope.graph.nodes.get(found.node) if found.node else None
        return main_output(found.shape, path, found.at, (node and node.ref) or "")

    def _may_be_asked(self) -> bool:
        """Whether a webhook answers GET."""
        hooks = (one for one in self._scope.graph.nodes.values() if one.ref == _WEBHOOK)
        settings = (object_at(one.data, "configurations") for one in hooks)
        return any("GET" in repr(one.get("allowed_methods")) for one in settings)

    def _item(self, node: Node, path: Path) -> Path | None:
        """`each.item.url` inside the loop `each`."""
        loops = self._scope.reach.loops_around(node.id) or ()
        loop = next((one for one in loops if one.id == path[0]), None)
        if loop is None or len(path) < 2:
            return None
        if path[1] == "index" and not counts(loop):
            return ("loop", *path[1:])
        return (loop_variable(loop), *path[2:]) if path[1] in ITEMS else None

    def _variable(self, node: Node, path: Path) -> Path | None:
        """`site.url` for `loop.site.url`, where a loop gives its item this name."""
        if len(path) < 2 or path[0] != "loop":
            return None
        loops = self._scope.reach.loops_around(node.id) or ()
        return path[1:] if path[1] in {loop_variable(one) for one in loops} else None

    def _singular(self, node: Node, path: Path, found: ResolvedPath) -> Path | None:
        """`site.host` for `sites.host` in a loop that calls its item `site`."""
        if found.at != 1 or len(path) < 2 or self.of_others(node, path, found):
            return None
        return self._loop_item(node, path)

    def _of_several(self, node: Node, path: Path, own: tuple[str, ...]) -> Path | None:
        """`order.sku` for `orders.sku` in a loop whose item is `order`, where nothing else is."""
        if len(path) < 2 or closest(str(path[0]), (*self._scope.graph.nodes, *own)):
            return None
        return self._loop_item(node, path)

    def _loop_item(self, node: Node, path: Path) -> Path | None:
        """The path in the item of the only loop around a node whose plural begins the path."""
        loops = self._scope.reach.loops_around(node.id) or ()
        named = [one for one in map(loop_variable, loops) if path[0] in {f"{one}s", f"{one}es"}]
        return (named[0], *path[1:]) if len(named) == 1 else None

    def _root(self, node: Node, path: Path, language: Language) -> Path | None:
        root, own = str(path[0]), self._scope.own_inputs(node, language)
        if language != "own" and self._scope.is_own_name(node, root):
            return None  # the text is an expression of the node, with braces
        if (item := self._of_own_item(node, path, language)) is not None:
            return item
        if look_up(self._scope.data_seen(node, language), root).verdict == "named":
            return None if closest(root, own) else ("data", *path)
        for found in (
            self._elsewhere(node, path),
            self._of_loop(node, path),
            self._of_several(node, path, own),
        ):
            if found is not None:
                return found
        if root in BEFORE and language != "own" and len(path) > 1:
            return self._from_before(node, path)
        if path[:2] == ("github", "event"):
            return self._of_github(path)
        return self._similar(node, path, language, own)

    def _similar(
        self, node: Node, path: Path, language: Language, own: tuple[str, ...]
    ) -> Path | None:
        """The path from a name that is like its root, or that its root stands for."""
        root = str(path[0])
        is_of_item = root in ITEM_WORDS and language == "own"
        if is_of_item and self._scope.is_own_name(node, "item"):
            return ("item", *path[1:])
        if (name := closest(root, (*self._scope.names(node), *own))) and _is_slip(root, name):
            return self._slip(path, name)
        if root in WRAPPERS:
            below = path[1:2]
            seen = self._scope.data_seen(node, language)
            is_there = not below or look_up(seen, below[0]).verdict == "named"
            return ("data", *path[1:]) if is_there else None
        other = self._node(node, root)
        if other is None:
            return None
        return (other, *path[1:]) if is_name(other) else ("nodes", other, "output", *path[1:])

    def _of_own_item(self, node: Node, path: Path, language: Language) -> Path | None:
        """`item.train` for `train`, where an expression is asked for each item, which has it."""
        if language != "own" or not self._scope.is_own_name(node, "item"):
            return None
        item = self._scope.find(node, ("item",), language).shape
        return ("item", *path) if look_up(item, path[0]).verdict == "named" else None

    def _of_github(self, path: Path) -> Path | None:
        """What GitHub Actions call the payload of the webhook."""
        nodes = self._scope.graph.nodes.values()
        hooks = [one.id for one in nodes if one.ref == "TRIGGER.GITHUB" and is_name(one.id)]
        is_one = len(hooks) == 1 and len(path) > 2
        return (hooks[0], "github_payload", *path[2:]) if is_one else None

    def _slip(self, path: Path, name: str) -> Path | None:
        """The path from a name that its root misspells; `page` is an item of `pages`."""
        root = str(path[0])
        is_plural = {name, root} in ({name, f"{name}s"}, {root, f"{root}s"})
        is_there = len(path) > 1 and self._gives(name, path[1])
        is_other = is_plural and not is_there and (len(path) == 1 or self._may_loop())
        return None if is_other else (name, *path[1:])

    def _may_loop(self) -> bool:
        """Whether there is a loop, or a node that may be one by another name."""
        nodes = self._scope.graph.nodes.values()
        return any(is_loop(one) or (one.type.isupper() and one.ref is None) for one in nodes)

    def _elsewhere(self, node: Node, path: Path) -> Path | None:
        """`steps.load.outputs.rows` and `event.city` of other systems."""
        root, below = path[0], path[1:]
        is_of_nodes = root in ALL_NODES or (
            len(below) > 1 and self._is_earlier(node, root, below[0])
        )
        if is_of_nodes and below and isinstance(below[0], str):
            is_id = below[0] in self._scope.graph.nodes
            other = NodeId(below[0]) if is_id else self._node(node, below[0])
            if other is None:
                return None
            steps = below[1:]
            if len(steps) > 1 and steps[0] in WRAPPERS:
                named = look_up(self._scope.value_of(other), steps[0]).verdict == "named"
                steps = steps if named else steps[1:]
            return (other, *steps) if is_name(other) else ("nodes", other, "output", *steps)
        if is_run_input(root):
            steps = below
            while steps and look_up(self._scope.trigger, steps[0]).verdict != "named":
                if not is_run_input(steps[0]):
                    return None
                steps = steps[1:]
            return ("trigger", *steps) if steps else None
        return None

    def _is_earlier(self, node: Node, root: Step, name: Step) -> bool:
        """Whether a name below an unknown one is the id of an earlier node."""
        if root in APART or name not in self._scope.graph.nodes:
            return False
        if closest(str(root), self._scope.names(node)):
            return False  # `nods.load` misspells `nodes.load`
        return self._scope.reach.can_have_run(NodeId(str(name)), node.id)

    def _of_loop(self, node: Node, path: Path) -> Path | None:
        """`item` and `index` of the only loop around a node, by the names that they have."""
        loops = self._scope.reach.loops_around(node.id) or ()
        if len(loops) != 1 or self._scope.is_own_name(node, str(path[0])):
            return None
        if path[0] in ITEMS:
            return (loop_variable(loops[0]), *path[1:])
        is_list = not counts(loops[0]) and loops[0].ref == "FLOW.FOR_EACH"
        return ("loop", "index", *path[1:]) if path[0] == "index" and is_list else None

    def _gives(self, name: str, field: Step) -> bool:
        """Whether a node of this name has an output of the other."""
        is_node = name in self._scope.graph.nodes
        return is_node and look_up(self._scope.value_of(NodeId(name)), field).verdict == "named"

    def _from_before(self, node: Node, path: Path) -> Path | None:
        """`load.rows` for `previous.rows`, where one node comes before and has such a field."""
        sources = {edge.source for edge in self._scope.graph.incoming(node.id)}
        before = next(iter(sources)) if len(sources) == 1 else None
        if before is None or not is_name(before) or before in TABLE:
            return None
        for rest in (path[1:], path[2:]):
            if rest and look_up(self._scope.value_of(before), rest[0]).verdict == "named":
                return (before, *rest)
        return None

    def _node(self, node: Node, wrong: str) -> NodeId | None:
        """Return the earlier node with a similar id or with this name."""
        before = [
            one
            for one in self._scope.graph.nodes.values()
            if self._scope.reach.can_have_run(one.id, node.id)
        ]
        if found := Spelling([one.id for one in before]).nearest(wrong):
            # Of two ids that are as near, the title of one says nothing.
            return NodeId(found[0]) if len(found) == 1 else None
        titles: dict[str, list[NodeId]] = {}
        for one in before:
            titles.setdefault(one.name, []).append(one.id)
        named = titles.get(closest(wrong, titles) or "", [])
        if not named:
            given = words(wrong)
            kinds = [(one.id, words((one.ref or "").partition(".")[2])) for one in before]
            named = [one for one, kind in kinds if given and given <= kind]
        return named[0] if len(named) == 1 else None


def _is_slip(wrong: str, name: str) -> bool:
    """Whether letters were left out, added or swapped; another letter makes another short word."""
    return len(wrong) > _SHORT or len(wrong) != len(name) or sorted(wrong) == sorted(name)
