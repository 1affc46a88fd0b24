"""EXTERNAL_ACTION.FIRECRAWL: read web pages through Firecrawl."""

from datetime import datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

from toolweave import json_text
from toolweave.catalog.node import NodeContext, Outcome, Wait
from toolweave.catalog.spec import Example, Field, NodeSpec, terms
from toolweave.clock import timestamp
from toolweave.errors import Limited, TimedOut, Unavailable
from toolweave.json_text import Json, JsonObject
from toolweave.nodes.services._client import ServiceClient, ServiceResponse, calling, waiting
from toolweave.nodes.services._operation import Action, ServiceCall, build, missing
from toolweave.nodes.services._overrides import objects, record
from toolweave.nodes.services.firecrawl.api import (
    ACTIONS,
    CRAWLED,
    EXTRACTED,
    FIRECRAWL,
    as_text,
    scrape_options,
)

MAX_URLS = 50
MAX_PAGES = 20
FIRST_POLL_S = 2.0
LONGEST_POLL_S = 30.0
DEFAULTS: JsonObject = {
    "format": "markdown",
    "exclude_selectors": ["script", "style"],
    "max_depth": 2,
    "limit": 50,
    "screenshot": {"fullPage": True, "quality": 80, "format": "png"},
}


class Firecrawl:
    """Calls one operation of the Firecrawl API."""

    spec = NodeSpec(
        type="EXTERNAL_ACTION",
        subtype="FIRECRAWL",
        summary="Read web pages with Firecrawl: as text, as structured data, or as a picture.",
        # It only reads: a repeated call costs credits but changes nothing.
        effect="keyed",
        configurations=(
            Field(
                "firecrawl_api_key",
                "string",
                "API key that begins with fc-, as a vault reference.",
                required=True,
                sensitive=True,
            ),
            Field(
                "action_type",
                "string",
                "scrape one page, crawl a site, extract data by a schema, or take a screenshot.",
                "scrape",
                required=True,
                options=tuple(ACTIONS),
            ),
        ),
        inputs=(
            Field(
                "action_type",
                "string",
                "Takes the place of the configured action when given.",
                options=tuple(ACTIONS),
            ),
            Field(
                "url",
                "string",
                "Page to read, or where the crawl starts: https://example.com/docs.",
            ),
            Field("urls", "array", "Several pages to read in one go.", items="string"),
            Field(
                "include_selectors",
                "array",
                "CSS selectors to keep: [article, .content]; empty keeps the main content.",
                items="string",
            ),
            Field(
                "exclude_selectors",
                "array",
                "CSS selectors to leave out: [nav, .advert].",
                ["script", "style"],
                items="string",
            ),
            Field(
                "format",
                "string",
                "Form of the content.",
                "markdown",
                options=("markdown", "html", "text", "json"),
            ),
            Field(
                "max_depth",
                "integer",
                "How many links deep a crawl goes.",
                2,
                minimum=0,
                maximum=10,
            ),
            Field(
                "limit",
                "integer",
                "Most pages a crawl reads.",
                50,
                minimum=1,
                maximum=10_000,
            ),
            Field(
                "schema",
                "object",
                'JSON Schema of the data to extract: {"type": "object", "properties": {}}.',
            ),
            Field(
                "headers", "object", 'HTTP headers to send to the site: {"Accept-Language": "en"}.'
            ),
            Field(
                "screenshot",
                "object",
                "How to take the picture: fullPage, quality (1-100) and format.",
                {"fullPage": True, "quality": 80, "format": "png"},
                members="{fullPage: boolean, quality: integer 1..100, format: png|jpeg|webp, "
                "viewport: object}",
            ),
        ),
        outputs=(
            Field("success", "boolean", "Whether the pages could be read."),
            Field("content", "string", "The pages' content in the chosen format."),
            Field("data", "any", "What was extracted, by the schema; or the picture's address."),
            Field("urls_processed", "array", "Addresses of the pages read.", items="string"),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("stats", "object", "Pages, credits and time used."),
        ),
        tags=("web", "scraping", "firecrawl", "extraction"),
        keywords=terms(
            "firecrawl, scrape, crawl, web page, website, screenshot, extract, html, markdown, "
            "spider"
        ),
        guidance="crawl needs url, the other actions url or urls; extract also needs schema.",
        examples=(
            Example(
                "Read an article",
                "Gives one page's main text as Markdown.",
                {"firecrawl_api_key": "${vault:firecrawl-key}", "action_type": "scrape"},
                {
                    "url": "https://example.com/blog/launch",
                    "include_selectors": ["article"],
                    "exclude_selectors": ["nav", "footer"],
                },
            ),
            Example(
                "Collect the documentation",
                "Follows links two levels deep.",
                {"firecrawl_api_key": "${vault:firecrawl-key}", "action_type": "crawl"},
                {
                    "url": "https://docs.example.com",
                    "max_depth": 2,
                    "limit": 40,
                    "format": "markdown",
                },
            ),
            Example(
                "Extract prices",
                "Gives name and price of the products on a page.",
                {"firecrawl_api_key": "${vault:firecrawl-key}", "action_type": "extract"},
                {
                    "url": "https://shop.example.com/lamps",
                    "format": "json",
                    "schema": {
                        "type": "object",
                        "properties": {
                            "products": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "properties": {
                                        "name": {"type": "string"},
                                        "price": {"type": "number"},
                                    },
                                },
                            }
                        },
                    },
                },
            ),
        ),
    )

    async def run(self, context: NodeContext) -> Outcome | Wait:
        """Read the pages; a crawl is asked after from time to time until it is over."""
        caller = await calling(context, FIRECRAWL, context.given.text("firecrawl_api_key"))
        job = _job(context)
        if job is None:
            found = await waiting(context, caller, lambda: _begin(context, caller))
            if isinstance(found, Wait) or found.ports:
                return found
            job = record(found.value)
        try:
            return await _look(context, caller, job)
        except Limited as error:
            told = error.facts.get("retry_after_s")
            return _later(context, job, float(told) if told else LONGEST_POLL_S)


async def _begin(context: NodeContext, caller: ServiceClient) -> Outcome:
    """Read what can be read at once; else the job that was begun, which leaves by no port."""
    given = context.given
    name = given.text("action_type")
    values = {**DEFAULTS, **{key: one for key, one in given.inputs.items() if one is not None}}
    urls = [str(one) for one in given.listing("urls")] or [given.text("url")]
    if not urls[0] or (name == "crawl" and not given.text("url")):
        raise missing("url", name)
    if name in {"scrape", "screenshot"}:
        pages = [
            record((await _scraped(caller, name, url, values)).record.get("data"))
            for url in urls[:MAX_URLS]
        ]
        return Outcome(_shown(name, values, pages, {"pages": len(pages)}))
    wanted: JsonObject = {
        **values,
        "url": urls[0],
        "urls": [*urls[:MAX_URLS]],
        "options": scrape_options("scrape", values),
    }
    begun = (await caller.do(name, ACTIONS[name], wanted)).record
    job: JsonObject = {"id": begun.get("id"), "since": timestamp(context.now()), "polls": 0}
    return Outcome(job, ())


async def _scraped(
    caller: ServiceClient, name: str, url: str, values: JsonObject
) -> ServiceResponse:
    body: JsonObject = {"url": url, **scrape_options(name, values)}
    call = build(name, ACTIONS[name], body)
    return await caller.send(name, ServiceCall(call.method, call.path, body=body))


async def _look(context: NodeContext, caller: ServiceClient, job: JsonObject) -> Outcome | Wait:
    given = context.given
    name = given.text("action_type")
    action = CRAWLED if name == "crawl" else EXTRACTED
    told = (await caller.do(name, action, job)).record
    if told.get("status") in {"failed", "cancelled"}:
        why = str(told.get("error") or told["status"])[:300]
        raise Unavailable("SERVICE_UNAVAILABLE", f"Firecrawl gave up {name}: {why}")
    if told.get("status") == "completed":
        values = {**DEFAULTS, **given.inputs}
        if name == "extract":
            listed: list[Json] = [*given.listing("urls")] or [given.text("url")]
            found = _shown(name, values, [], {"pages": len(listed)}, told.get("data"))
            return Outcome({**found, "urls_processed": listed})
        pages = await _pages(caller, action, job, told)
        stats: JsonObject = {"pages": len(pages), "credits": told.get("creditsUsed")}
        return Outcome(_shown(name, values, pages, stats))
    polls = job.get("polls")
    count = polls if isinstance(polls, int) else 0
    wait_s = min(FIRST_POLL_S * 1.5**count, LONGEST_POLL_S)
    return _later(context, {**job, "polls": count + 1}, wait_s)


def _later(context: NodeContext, job: JsonObject, wait_s: float) -> Wait:
    since = datetime.fromisoformat(str(job["since"]))
    timeout_s = context.given.number("timeout")
    if (context.now() - since).total_seconds() > timeout_s:
        message = f"Firecrawl was not done after {timeout_s:g} s"
        raise TimedOut("SERVICE_JOB_TIMEOUT", message, hint="raise the node's timeout")
    return Wait(context.now() + timedelta(seconds=wait_s), memory={"job": job})


async def _pages(
    caller: ServiceClient, action: Action, job: JsonObject, told: JsonObject
) -> list[JsonObject]:
    """What a crawl found; Firecrawl gives it in parts."""
    pages = objects(told.get("data"))
    for _ in range(MAX_PAGES):
        more = told.get("next")
        if not isinstance(more, str) or not more:
            break
        # Only where to go on is taken of the address: the token goes nowhere else.
        skip = dict(parse_qsl(urlsplit(more).query)).get("skip")
        told = (await caller.do("crawl", action, {**job, "skip": skip})).record
        pages += objects(told.get("data"))
    return pages


def _shown(
    name: str, values: JsonObject, pages: list[JsonObject], stats: JsonObject, data: Json = None
) -> JsonObject:
    form = values.get("format")
    texts = [str(page.get("html" if form == "html" else "markdown") or "") for page in pages]
    if form == "text":
        texts = [as_text(text) for text in texts]
    if name == "screenshot":
        pictures: list[Json] = [page.get("screenshot") for page in pages]
        data = pictures[0] if len(pictures) == 1 else pictures
    elif name != "extract" and form == "json":
        extracted: list[Json] = [page.get("json", page) for page in pages]
        data = extracted[0] if len(extracted) == 1 else extracted
    elif name == "crawl":
        data = [*pages]
    sources = [record(page.get("metadata")) for page in pages]
    return {
        "success": True,
        "content": json_text.write(data) if form == "json" else "\n\n".join(filter(None, texts)),
        "data": data,
        "urls_processed": [one.get("sourceURL") or one.get("url") or "" for one in sources],
        "error_message": "",
        "stats": {**stats, "action": name},
    }


def _job(context: NodeContext) -> JsonObject | None:
    memory = record(context.resumed.memory) if context.resumed is not None else {}
    job = memory.get("job")
    return job if isinstance(job, dict) else None


node = Firecrawl()
