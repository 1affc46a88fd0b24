"""Inserts results into a document and removes them; no other byte is changed."""

from collections.abc import Mapping

from toolweave.documents.document import Block, Document, Region
from toolweave.documents.render import Callout


def with_results(document: Document, callouts: Mapping[int, Callout]) -> str:
    """Return the text with results below their blocks, by block number, replacing old ones."""
    pieces: list[str] = []
    at = 0
    for number in sorted(callouts):
        block = document.blocks[number]
        start, end, new = _placed(document, block, callouts[number])
        pieces += [document.text[at:start], new]
        at = end
    return "".join([*pieces, document.text[at:]])


def without_results(document: Document) -> str:
    """Return the text as it was before any result was written below a block."""
    pieces: list[str] = []
    at = 0
    for block in document.blocks:
        if block.result is not None:
            start, end = _bounds(document, block.result)
            if not _ends_line(document, block.result.last):
                start -= len(_line_end(document, block.last))
            pieces.append(document.text[at:start])
            at = end
    return "".join([*pieces, document.text[at:]])


def _placed(document: Document, block: Block, callout: Callout) -> tuple[int, int, str]:
    """Return where a callout goes, and its text with the block's prefix and line ends."""
    end_of_line = _line_end(document, block.last) or _usual_end(document)
    new = end_of_line.join(block.prefix + line for line in callout.lines)
    if block.result is not None:
        start, end = _bounds(document, block.result)
        is_last = not _ends_line(document, block.result.last)
        return start, end, new if is_last else new + end_of_line
    below = document.starts[block.last + 1]
    if _ends_line(document, block.last):
        return below, below, new + end_of_line
    return below, below, end_of_line + new


def _bounds(document: Document, region: Region) -> tuple[int, int]:
    return document.starts[region.first], document.starts[region.last + 1]


def _ends_line(document: Document, line: int) -> bool:
    return document.text[document.starts[line] : document.starts[line + 1]].endswith("\n")


def _line_end(document: Document, line: int) -> str:
    text = document.text[document.starts[line] : document.starts[line + 1]]
    if text.endswith("\r\n"):
        return "\r\n"
    return "\n" if text.endswith("\n") else ""


def _usual_end(document: Document) -> str:
    return _line_end(document, 0) or "\n"
