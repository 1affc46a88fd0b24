"""Firecrawl's API (version 2): its actions as data, how it says no, and what is asked of a page."""

import re

from toolweave.catalog.resources.http import Response
from toolweave.catalog.resources.services import Failure, Service
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._failures import http_failure
from toolweave.nodes.services._operation import Action, get, post
from toolweave.nodes.services._overrides import record
from toolweave.patterns import pattern

_PICTURE = pattern(r"!\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)")
_LINK = pattern(r"\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)")
_MARKS = pattern(r"^[ \t]{0,3}(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)|[*_`~]{1,3}", re.MULTILINE)


def _failure(response: Response, value: Json) -> Failure | None:
    """Firecrawl also says no with the status 200 and `success: false`."""
    told = record(value)
    words = str(told.get("error") or told.get("message") or "")
    if told.get("success") is False and 200 <= response.status < 300:
        return Failure(400, words)
    failure = http_failure(response, words)
    if failure is not None and failure.status == 402:
        return Failure(403, words or "no credits are left")
    return failure


FIRECRAWL = Service(
    kind="firecrawl",
    title="Firecrawl",
    address="https://api.firecrawl.dev",
    failure=_failure,
    whoami=("GET", "/v2/team/credit-usage"),
    who=("data.remainingCredits",),
)

ACTIONS: dict[str, Action] = {
    "scrape": post("/v2/scrape"),
    "crawl": post("/v2/crawl", "url! limit maxDiscoveryDepth=max_depth scrapeOptions=options"),
    "extract": post("/v2/extract", "urls! schema! prompt scrapeOptions=options"),
    "screenshot": post("/v2/scrape"),
}
CRAWLED = get("/v2/crawl/{id}", "skip")
EXTRACTED = get("/v2/extract/{id}")


def scrape_options(name: str, values: JsonObject) -> JsonObject:
    """What is wanted of each page."""
    schema = values.get("schema")
    include = values.get("include_selectors")
    options: JsonObject = {
        "formats": [_format(name, values, schema)],
        # Selectors are looked for in the whole page.
        "onlyMainContent": not include,
        "includeTags": include or None,
        "excludeTags": values.get("exclude_selectors") or None,
        "headers": values.get("headers") or None,
    }
    return {key: one for key, one in options.items() if one is not None}


def as_text(markdown: str) -> str:
    """Markdown without its marks."""
    return _MARKS.sub("", _LINK.sub(r"\1", _PICTURE.sub(r"\1", markdown))).strip()


def _format(name: str, values: JsonObject, schema: Json) -> Json:
    if name == "screenshot":
        picture = record(values.get("screenshot"))
        wanted = {key: picture[key] for key in ("fullPage", "quality") if key in picture}
        return {"type": "screenshot", **wanted}
    form = values.get("format")
    if form == "json" and isinstance(schema, dict):
        return {"type": "json", "schema": schema}
    return "html" if form == "html" else "markdown"
