"""Functions, methods and filters of other languages, and how CEL writes them.

`{0}` is the value, `{1}` and so on are the arguments; the last part is the sort of the result.
"""

from typing import Literal

Sort = Literal["bool", "text", "number", "whole", "decimal", "list", "map", "any"]
Pattern = tuple[str, Sort]

_LOWER: Pattern = ("{0}.lowerAscii()", "text")
_UPPER: Pattern = ("{0}.upperAscii()", "text")
_TRIM: Pattern = ("{0}.trim()", "text")
_SIZE: Pattern = ("size({0})", "whole")
_TEXT: Pattern = ("string({0})", "text")
_WHOLE: Pattern = ("int({0})", "whole")
_DECIMAL: Pattern = ("double({0})", "decimal")
_EMPTY: Pattern = ("size({0}) == 0", "bool")
_FILLED: Pattern = ("size({0}) > 0", "bool")
_EQUAL: Pattern = ("{0} == {1}", "bool")
_KEYS: Pattern = ("{0}.map(key, key)", "list")
_CONTAINS: Pattern = ("{0}.contains({1})", "bool")
_STARTS: Pattern = ("{0}.startsWith({1})", "bool")
_ENDS: Pattern = ("{0}.endsWith({1})", "bool")
_MATCHES: Pattern = ("{0}.matches({1})", "bool")
_SPLIT: Pattern = ("{0}.split({1})", "list")
_JOIN: Pattern = ("{0}.join({1})", "text")
_FIRST: Pattern = ("{0}[0]", "any")
_LAST: Pattern = ("{0}[size({0}) - 1]", "any")
_REPLACE: Pattern = ("{0}.replace({1}, {2})", "text")

# By name in small letters without underscores, and by the number of arguments.
FUNCTIONS: dict[tuple[str, int], Pattern] = {
    **{(name, 1): _SIZE for name in ("len", "length", "count", "size", "strlen", "sizeof")},
    **{(name, 1): _SIZE for name in ("arraylength", "numel", "cardinality", "listlength", "card")},
    **{(name, 1): _TEXT for name in ("str", "string", "tostring")},
    **{(name, 1): _WHOLE for name in ("int", "parseint", "integer", "toint")},
    **{(name, 1): _DECIMAL for name in ("float", "number", "parsefloat", "tonumber", "decimal")},
    **{(name, 1): _EMPTY for name in ("isempty", "empty", "isblank")},
    **{(name, 1): _LOWER for name in ("lower", "tolower", "lowercase", "lcase")},
    **{(name, 1): _UPPER for name in ("upper", "toupper", "uppercase", "ucase")},
    ("trim", 1): _TRIM,
    ("contains", 2): _CONTAINS,
    ("includes", 2): _CONTAINS,
    ("startswith", 2): _STARTS,
    ("endswith", 2): _ENDS,
    ("matches", 2): _MATCHES,
    ("split", 2): _SPLIT,
    ("join", 2): _JOIN,
    ("equals", 2): _EQUAL,
    ("eq", 2): _EQUAL,
    ("abs", 1): ("math.abs({0})", "number"),
    ("min", 2): ("math.least({0}, {1})", "number"),
    ("max", 2): ("math.greatest({0}, {1})", "number"),
    ("and", 2): ("{0} && {1}", "bool"),
    ("or", 2): ("{0} || {1}", "bool"),
    ("not", 1): ("!{0}", "bool"),
    ("ne", 2): ("{0} != {1}", "bool"),
    ("gt", 2): ("{0} > {1}", "bool"),
    ("gte", 2): ("{0} >= {1}", "bool"),
    ("lt", 2): ("{0} < {1}", "bool"),
    ("lte", 2): ("{0} <= {1}", "bool"),
    ("greater", 2): ("{0} > {1}", "bool"),
    ("less", 2): ("{0} < {1}", "bool"),
    **{(name, 2): _EQUAL for name in ("isequal", "exact")},
    **{(name, 2): ("{0} >= {1}", "bool") for name in ("greaterorequals", "ge", "atleast")},
    **{(name, 2): ("{0} <= {1}", "bool") for name in ("lessorequals", "le", "atmost")},
    **{(name, 2): ("{0} != {1}", "bool") for name in ("notequals", "neq", "notequal")},
    **{(name, 1): ("{0} == null", "bool") for name in ("isnull", "isnone", "isnil")},
    **{(name, 1): ("{0} != null", "bool") for name in ("isnotnull", "notnull")},
    **{(name, 2): ("{0} + {1}", "number") for name in ("add", "plus")},
    **{(name, 2): ("{0} - {1}", "number") for name in ("sub", "subtract", "minus")},
    **{(name, 2): ("{0} * {1}", "number") for name in ("mul", "multiply", "times")},
    **{(name, 2): ("{0} / {1}", "number") for name in ("div", "divide")},
    **{(name, 2): ("{0} % {1}", "number") for name in ("mod", "modulo")},
    **{(name, 1): ("math.floor({0})", "decimal") for name in ("floor", "math.floor")},
    **{(name, 1): ("math.ceil({0})", "decimal") for name in ("ceil", "ceiling", "math.ceil")},
    ("math.trunc", 1): ("math.trunc({0})", "decimal"),
    # A half is rounded up, also below zero.
    ("math.round", 1): ("math.floor({0} + 0.5)", "decimal"),
    ("math.sqrt", 1): ("math.sqrt({0})", "any"),
    **{(name, 2): _MATCHES for name in ("regexmatch", "regexpmatch", "regexplike", "ismatch")},
    **{(name, 3): _REPLACE for name in ("replace", "substitute", "replaceall")},
    **{(name, 1): _FIRST for name in ("first",)},
    **{(name, 1): _LAST for name in ("last",)},
    ("re.search", 2): ("{1}.matches({0})", "bool"),
    ("array.isarray", 1): ("type({0}) == list", "bool"),
    ("object.keys", 1): _KEYS,
    ("math.abs", 1): ("math.abs({0})", "number"),
    ("math.min", 2): ("math.least({0}, {1})", "number"),
    ("math.max", 2): ("math.greatest({0}, {1})", "number"),
}
# Functions with any number of arguments, and the sign that joins them.
SEVERAL: dict[str, str] = {
    **dict.fromkeys(("and",), "&&"),
    **dict.fromkeys(("or",), "||"),
    **dict.fromkeys(("concat", "concatenate", "strcat"), "+"),
    **dict.fromkeys(("coalesce", "ifnull", "nvl", "isnull", "firstnonnull"), "??"),
}
# Functions whose first argument is a text with gaps.
FORMATTING = frozenset({"format", "sprintf", "printf", "string.format", "states.format"})
# Functions that ask whether a field exists.
EXISTENCE = frozenset({"exists", "defined", "isdefined", "isset", "present", "ispresent", "has"})

# With the value before the dot, by name and number of arguments without it.
METHODS: dict[tuple[str, int], Pattern] = {
    **{(name, 0): _SIZE for name in ("length", "size", "count", "len")},
    **{(name, 0): _LOWER for name in ("tolowercase", "lower", "tolower", "downcase", "lowercase")},
    **{(name, 0): _UPPER for name in ("touppercase", "upper", "toupper", "upcase", "uppercase")},
    **{(name, 0): _TRIM for name in ("trim", "strip")},
    **{(name, 0): _TEXT for name in ("tostring", "string")},
    **{(name, 0): _EMPTY for name in ("isempty", "empty")},
    **{(name, 0): _FILLED for name in ("isnotempty", "notempty")},
    **{(name, 1): _CONTAINS for name in ("includes", "contains", "include", "has")},
    **{(name, 1): _EQUAL for name in ("equals", "eq")},
    ("equalsignorecase", 1): ("{0}.lowerAscii() == {1}.lowerAscii()", "bool"),
    ("startswith", 1): _STARTS,
    ("endswith", 1): _ENDS,
    ("matches", 1): _MATCHES,
    ("test", 1): ("{1}.matches({0})", "bool"),
    ("split", 1): _SPLIT,
    ("join", 1): _JOIN,
    ("indexof", 1): ("{0}.indexOf({1})", "whole"),
    ("lastindexof", 1): ("{0}.lastIndexOf({1})", "whole"),
    ("replaceall", 2): _REPLACE,
    ("keys", 0): _KEYS,
    ("first", 0): _FIRST,
    ("head", 0): _FIRST,
    ("last", 0): _LAST,
    ("hasownproperty", 1): ("{1} in {0}", "bool"),
    ("haskey", 1): ("{1} in {0}", "bool"),
    ("containskey", 1): ("{1} in {0}", "bool"),
}
# Methods that take a function.
LOOPS: dict[str, tuple[str, Sort]] = {
    **dict.fromkeys(("some", "any", "exists"), ("exists", "bool")),
    **dict.fromkeys(("every", "all"), ("all", "bool")),
    **dict.fromkeys(("filter", "where"), ("filter", "list")),
    **dict.fromkeys(("map", "select", "collect"), ("map", "list")),
}
# Methods that take one field of each item.
PLUCKING = frozenset({"map", "pluck", "mapby", "collect", "arraycolumn"})
# Filters of Jinja, Liquid and Twig, by name and number of arguments; None changes nothing.
FILTERS_BY_ARGUMENTS: dict[tuple[str, int], Pattern | None] = {
    **{(name, 0): _UPPER for name in ("upper", "upcase", "uppercase")},
    **{(name, 0): _LOWER for name in ("lower", "downcase", "lowercase")},
    **{(name, 0): _TRIM for name in ("trim", "strip")},
    **{(name, 0): _SIZE for name in ("length", "size", "count")},
    **{(name, 0): _TEXT for name in ("string", "str", "tostring", "to_string")},
    **{(name, 0): _WHOLE for name in ("int", "integer", "to_int")},
    **{(name, 0): _DECIMAL for name in ("float", "to_number", "number")},
    **{(name, 0): None for name in ("safe", "raw")},
    ("first", 0): _FIRST,
    ("last", 0): _LAST,
    ("abs", 0): ("math.abs({0})", "number"),
    ("join", 1): _JOIN,
    ("split", 1): _SPLIT,
    ("replace", 2): _REPLACE,
    ("append", 1): ("{0} + {1}", "text"),
    ("prepend", 1): ("{1} + {0}", "text"),
    ("keys", 0): _KEYS,
}
# Tests of Jinja without an argument.
TESTS: dict[str, Pattern] = {
    "string": ("type({0}) == string", "bool"),
    "number": ("type({0}) in [int, double]", "bool"),
    "mapping": ("type({0}) == map", "bool"),
    "boolean": ("type({0}) == bool", "bool"),
    "even": ("{0} % 2 == 0", "bool"),
    "odd": ("{0} % 2 != 0", "bool"),
}
# Filters with a meaning of their own.
AS_JSON = frozenset({"tojson", "json", "to_json", "json_encode", "jsonify", "dump"})
DEFAULTS = frozenset({"default", "d"})
# Everything that is a filter in one of the languages, with an equivalent or without.
FILTERS = (
    frozenset(name for name, _ in FILTERS_BY_ARGUMENTS)
    | AS_JSON
    | DEFAULTS
    | {
        "map",
        "capitalize",
        "title",
        "round",
        "sort",
        "reverse",
        "unique",
        "truncate",
        "escape",
        "e",
    }
    | {
        "date",
        "urlencode",
        "url_encode",
        "striptags",
        "strip_html",
        "nl2br",
        "sum",
        "list",
        "batch",
    }
    | {"format", "indent", "wordcount", "random", "min", "max", "selectattr", "rejectattr", "slice"}
)
