"""Which language an expression is written in, where its words tell."""

from collections.abc import Iterable
from typing import Literal

from toolweave.workflow.formats.foreign.word_signs import Word

# Empty where the words do not tell.
SourceLanguage = Literal["javascript", "python", ""]

_OF_JAVASCRIPT = frozenset(
    {"===", "!==", "=>", "?.", "?.[", "??", "const", "let", "undefined", "typeof", "length"}
    | {"includes", "some", "every", "Math", "JSON", "Object", "Array", "Number", "String"}
    | {"parseInt", "parseFloat", "toLowerCase", "toUpperCase", "toFixed", "toString", "Boolean"}
    | {"isArray", "replaceAll", "hasOwnProperty", "findIndex", "$json", "$input", "function"}
)
_OF_PYTHON = frozenset(
    {"and", "or", "not", "is", "None", "True", "False", "len", "lambda", "elif", "def", "for"}
    | {"strip", "lower", "upper", "str", "isinstance", "any", "all", "sum", "sorted", "re", "get"}
    | {"startswith", "endswith", "abs", "round", "bool", "next", "dict"}
)


def language_of(words: Iterable[Word]) -> SourceLanguage:
    """The language that some of the words are of, unless others are of another one."""
    is_javascript = is_python = False
    before = ""
    for word in words:
        if word.kind == "text":
            is_python = is_python or word.text[:1] in "fFrRbB"
            continue
        is_javascript = is_javascript or word.kind == "template" or word.text in _OF_JAVASCRIPT
        # `x if y else z`; a field may have any of these names.
        is_python = is_python or (before != "." and word.text in _OF_PYTHON | {"else"})
        is_python = is_python or (before == "." and word.text in _METHODS)
        before = word.text
    if is_javascript == is_python:
        return ""
    return "javascript" if is_javascript else "python"


_METHODS = frozenset({"strip", "lower", "upper", "get", "startswith", "endswith"})
