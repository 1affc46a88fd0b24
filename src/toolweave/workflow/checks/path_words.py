"""Words of other systems at the beginning or the end of a path. Not a check."""

# Words for the output of any node.
ANY_OUTPUT = frozenset({"output", "outputs", "result", "results", "value", "response", "data"})
# Names that other systems use for the item of a loop.
ITEMS = frozenset(
    {"item", "currentItem", "current_item", "current", "element", "this", "it", "each", "self"}
)
# What other systems call the node before.
BEFORE = frozenset(
    {"previous", "prev", "previous_step", "previousStep", "prev_step", "last_step", "lastStep"}
    | {"previous_node", "previousNode", "prior", "upstream", "parent", "last_output", "last"}
)
# What they call the first item of a list.
FIRST = frozenset({"first", "First", "head"})
# Counters that begin at 0.
FROM_ZERO = frozenset({"index0", "counter0", "zero_index", "zeroIndex"})
# Words for one of many, where the expression of a node is asked for each item.
ITEM_WORDS = frozenset(
    {"row", "record", "rec", "entry", "element", "elem", "el", "obj", "object", "it", "x", "r", "e"}
    | {"i", "o", "v", "d", "line", "doc", "this", "self", "current", "each", "_", "user", "order"}
) | {"person", "product", "node", "event", "message", "customer", "invoice", "a", "b", "val"}
# Names that other systems use for all nodes, and for the input of the run.
ALL_NODES = frozenset({"steps", "step", "nodes", "node", "tasks", "jobs", "needs", "actions"})
# Names that hold secrets or settings of the machine, which no node gives.
APART = frozenset({"secrets", "secret", "env", "environment", "vault", "credentials", "credential"})
# What other clients say of an answer beside what is in it.
OF_REQUESTS = frozenset(
    {"text", "html", "content", "raw", "payload", "cookies", "cookie", "reason", "encoding"}
    | {"statustext", "statusmessage", "contenttype", "elapsed", "duration", "request", "config"}
    | {"method", "size", "length", "stream", "blob", "error", "errors", "message", "ok", "next"}
)
