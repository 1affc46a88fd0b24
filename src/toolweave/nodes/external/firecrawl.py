"""EXTERNAL_ACTION.FIRECRAWL: read web pages through Firecrawl."""

from toolweave.catalog.spec import Example, Field, NodeSpec

ACTIONS = ("scrape", "crawl", "extract", "screenshot")


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
                options=ACTIONS,
            ),
        ),
        inputs=(
            Field(
                "action_type",
                "string",
                "Takes the place of the configured action when given.",
                options=ACTIONS,
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
        keywords=(
            "firecrawl",
            "scrape",
            "crawl",
            "web page",
            "website",
            "screenshot",
            "extract",
            "html",
            "markdown",
            "spider",
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


node = Firecrawl()
