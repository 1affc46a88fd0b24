"""A run as a picture: bars over time, one per step, readable in light and dark."""

import re
from collections.abc import Sequence
from datetime import datetime
from xml.sax.saxutils import escape

from toolweave.engine.execution_report import StepRecord, records
from toolweave.engine.journal import JournalEntry

MAX_STEPS = 500
ROW, HEAD, NAMES, BARS, TIMES = 24, 36, 220, 460, 150
WIDTH = NAMES + BARS + TIMES
MAX_NAME = 34
_COLOURS = {
    "success": "good",
    "failed": "bad",
    **dict.fromkeys(("running", "retrying"), "busy"),
    **dict.fromkeys(("waiting", "uncertain"), "warn"),
}
_STYLE = """
text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#1a2233}
.faint{fill:#5a6376}.bar{fill:#7f8a9d}.good{fill:#137238}.bad{fill:#c02626}
.busy{fill:#1f58da}.warn{fill:#955406}.page{fill:#fff}.line{stroke:#dfe3ea}
@media (prefers-color-scheme:dark){text{fill:#e8ebf1}.faint{fill:#8e99ab}.bar{fill:#717c90}
.good{fill:#5fd38a}.bad{fill:#ff8585}.busy{fill:#7fb0ff}.warn{fill:#f2b84b}
.page{fill:#1a1e27}.line{stroke:#2c3340}}
"""
# XML has no place for these, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def timeline_svg(title: str, entries: Sequence[JournalEntry]) -> str:
    """Return the picture; its title and description say the same in words."""
    found = records(entries)
    shown = found[:MAX_STEPS]
    moments = [_moment(record.started_at) for record in found] or [_moment(entries[0].at)]
    start = min(moments)
    end = max(_moment(record.finished_at or entries[-1].at) for record in found) if found else start
    span_s = max((end - start).total_seconds(), 0.001)
    rows = [
        _row(record, number, start, span_s, entries[-1].at) for number, record in enumerate(shown)
    ]
    if len(found) > len(shown):
        y = HEAD + ROW * len(shown) + 16
        rows.append(
            f'<text class="faint" x="12" y="{y}">{len(found) - len(shown)} more steps</text>'
        )
    height = HEAD + ROW * len(rows) + 12
    words = "; ".join(f"{record.key}: {_words(record)}" for record in shown)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-labelledby="t d">'
        f'<title id="t">{_text(title)}</title><desc id="d">{_text(words)}</desc>'
        f"<style>{_STYLE}</style>"
        f'<rect class="page" width="{WIDTH}" height="{height}"/>'
        f'<text x="12" y="22" font-weight="600">{_text(_short(title, 100))}</text>'
        f'<line class="line" x1="0" y1="{HEAD - 4}" x2="{WIDTH}" y2="{HEAD - 4}"/>'
        f"{''.join(rows)}</svg>\n"
    )


def _row(record: StepRecord, number: int, start: datetime, span_s: float, now: str) -> str:
    y = HEAD + ROW * number
    left = (_moment(record.started_at) - start).total_seconds() / span_s
    right = (_moment(record.finished_at or now) - start).total_seconds() / span_s
    x = NAMES + min(left * BARS, BARS - 2)
    width = max((right - left) * BARS, 2)
    colour = _COLOURS.get(record.status, "")
    return (
        f'<text x="12" y="{y + 16}">{_text(_short(record.key, MAX_NAME))}</text>'
        f'<rect class="bar {colour}" x="{x:.1f}" y="{y + 6}" width="{width:.1f}" '
        f'height="12" rx="3"/>'
        f'<text class="faint" x="{NAMES + BARS + 10}" y="{y + 16}">{_text(_words(record))}</text>'
    )


def _words(record: StepRecord) -> str:
    is_timed = record.finished_at and record.status in {"success", "failed"}
    took = f"{record.took_ms} ms" if is_timed else ""
    return " ".join(word for word in (record.status, took) if word)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
