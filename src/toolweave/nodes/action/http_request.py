"""ACTION.HTTP_REQUEST: call a web address."""

from toolweave.catalog.spec import Example, Field, NodeSpec


class HttpRequest:
    """Sends one HTTP request and gives back the answer."""

    spec = NodeSpec(
        type="ACTION",
        subtype="HTTP_REQUEST",
        summary="Send an HTTP request to an API or web page and give its answer.",
        # The method may be known only at run time, so every call counts as one that changes things.
        effect="once",
        configurations=(
            Field(
                "method",
                "string",
                "Method of the request; GET and HEAD send no body.",
                "GET",
                required=True,
                options=("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
            ),
            Field(
                "url",
                "string",
                "Whole address, http or https: https://api.example.com/users/{{ user_id }}.",
                required=True,
            ),
            Field(
                "headers",
                "object",
                'Headers by name; secrets as vault references: {"Accept": "application/json"}.',
                {},
            ),
            Field(
                "query_params",
                "object",
                'Added after the question mark, a list repeats the name: {"page": 2, "tag": '
                '["a", "b"]}.',
                {},
            ),
            Field(
                "body_type",
                "string",
                "How the body is sent: JSON, form fields, text as it is, or not at all.",
                "json",
                options=("json", "form", "raw", "none"),
            ),
            Field(
                "follow_redirects", "boolean", "Whether an answer that points on is followed.", True
            ),
            Field(
                "max_redirects",
                "integer",
                "Redirects followed before it fails.",
                5,
                minimum=0,
                maximum=20,
            ),
        ),
        inputs=(
            Field(
                "body",
                "any",
                'What is sent: any value for json, fields for form; for raw a text, or {"text": '
                '"<a/>", "content_type": "text/xml"}.',
            ),
            Field(
                "url_variables",
                "object",
                'Values for {{ name }} in the url, percent-encoded: {"user_id": "42"}.',
            ),
            Field("dynamic_headers", "object", "More headers; they win over the configured ones."),
            Field(
                "dynamic_query_params",
                "object",
                "More query values; they win over the configured ones.",
            ),
        ),
        outputs=(
            Field("status_code", "integer", "Status of the answer: 200."),
            Field("headers", "object", "Headers of the answer, names in lower case."),
            Field("body", "string", "Body of the answer as text."),
            Field("json", "any", "Body parsed, when it is JSON."),
            Field("success", "boolean", "Whether the status is 200 to 299."),
            Field("error_message", "string", "Why it failed; empty on success."),
            Field("response_time", "float", "Seconds until the answer was there."),
            Field("url", "string", "Address that answered, after redirects."),
            Field("redirects", "array", "Addresses passed on the way.", items="string"),
        ),
        tags=("action", "http", "api"),
        keywords=(
            *("http", "api", "rest", "request", "fetch", "curl"),
            *("call", "get", "post", "url", "download", "web"),
        ),
        guidance=(
            "An answer with an error status is no failure of the node: look at success or "
            "status_code with FLOW.IF. Private and local addresses are refused unless allowed."
        ),
        examples=(
            Example(
                "Read a user",
                "Gets one user from a REST API.",
                {
                    "method": "GET",
                    "url": "https://api.example.com/users/{{ user_id }}",
                    "headers": {"Authorization": "Bearer ${vault:api-token}"},
                },
                {"url_variables": {"user_id": "42"}},
            ),
            Example(
                "Send an order",
                "Posts JSON; it is never sent twice without asking.",
                {
                    "method": "POST",
                    "url": "https://api.example.com/orders",
                    "body_type": "json",
                    "retry_attempts": 0,
                },
                {"body": {"sku": "A-100", "quantity": 2}},
            ),
            Example(
                "Is it alive",
                "Asks a health address, with little patience.",
                {
                    "method": "HEAD",
                    "url": "https://status.example.com/health",
                    "body_type": "none",
                    "follow_redirects": False,
                    "timeout": 10,
                    "retry_attempts": 1,
                },
            ),
            Example(
                "Form with more query values",
                "Sends form fields and sets the page at run time.",
                {
                    "method": "POST",
                    "url": "https://example.com/search",
                    "query_params": {"lang": "en"},
                    "body_type": "form",
                },
                {"body": {"q": "toolweave"}, "dynamic_query_params": {"page": 2}},
            ),
        ),
    )


node = HttpRequest()
