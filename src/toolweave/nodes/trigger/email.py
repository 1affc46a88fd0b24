"""TRIGGER.EMAIL: start when a mail comes in."""

from toolweave.catalog.spec import Example, Field, NodeSpec


class Email:
    """Starts a run for each new mail that passes the filters."""

    spec = NodeSpec(
        type="TRIGGER",
        subtype="EMAIL",
        summary="Start the workflow when a mail arrives in a mailbox.",
        effect="keyed",
        configurations=(
            Field(
                "email_provider",
                "string",
                "How mail is got: imap asks any server, the APIs need OAuth, webhook waits for "
                "a push.",
                "imap",
                required=True,
                options=("imap", "gmail_api", "outlook_api", "webhook"),
            ),
            Field(
                "server_config",
                "object",
                'imap: {"host": "imap.example.com", "port": 993, "use_ssl": true}; APIs: '
                '{"base_url": ...}; webhook: {"path": "/mail/in"}.',
                required=True,
            ),
            Field(
                "credentials",
                "object",
                "imap: username and password; APIs: client_id, client_secret, refresh_token; "
                "webhook: secret. Secrets as vault references.",
                required=True,
                sensitive=True,
            ),
            Field("mailbox", "string", "Folder or label that is watched: INBOX.", "INBOX"),
            Field(
                "filter_criteria",
                "object",
                'What else must hold: {"body_contains": "invoice", "subject_contains": "May", '
                '"has_attachment": true}.',
                {},
            ),
            Field(
                "subject_keywords",
                "array",
                "The subject must hold one of these, in any case: [invoice, order].",
                [],
                items="string",
            ),
            Field(
                "sender_whitelist",
                "array",
                "Senders that count, addresses or domains: [ada@example.com, @example.org].",
                [],
                items="string",
            ),
            Field("process_attachments", "boolean", "Whether attachments are read.", True),
            Field(
                "attachment_types",
                "array",
                "File endings that are read: [pdf, csv]; others are left out.",
                ["pdf", "doc", "docx", "txt", "csv", "xlsx"],
                items="string",
            ),
            Field(
                "max_attachment_size",
                "integer",
                "Bytes of the largest attachment that is read.",
                10_485_760,
                minimum=1024,
                maximum=52_428_800,
            ),
            Field(
                "polling_interval",
                "integer",
                "Seconds between looks into the mailbox; webhook needs none.",
                300,
                minimum=30,
                maximum=3600,
            ),
        ),
        outputs=(
            Field("trigger_time", "string", "When the run started: 2026-03-02T09:30:00Z."),
            Field("execution_id", "string", "Id of this run."),
            Field("email_id", "string", "Id of the mail at its provider."),
            Field("sender", "string", "Address it came from."),
            Field("recipient", "string", "Address it was sent to."),
            Field("subject", "string", "Subject line."),
            Field("body_text", "string", "Body as plain text."),
            Field("body_html", "string", "Body as HTML; empty when there is none."),
            Field(
                "attachments",
                "array",
                "Files: filename, size, content_type and content in base64.",
                items="object",
            ),
            Field("received_date", "string", "When the server got it: 2026-03-02T09:29:40Z."),
            Field("trigger_message", "string", "One line that says what started the run."),
            Field("email_headers", "object", "Headers, names in lower case."),
        ),
        input_ports=(),
        tags=("trigger", "email", "mail", "imap"),
        keywords=(
            *("email", "mail", "inbox", "imap", "gmail", "outlook"),
            *("message", "attachment", "receive", "incoming", "invoice"),
        ),
        examples=(
            Example(
                "Support mail",
                "Asks the support mailbox every minute.",
                {
                    "email_provider": "imap",
                    "server_config": {"host": "imap.example.com", "port": 993, "use_ssl": True},
                    "credentials": {
                        "username": "support@example.com",
                        "password": "${vault:support-mail-password}",
                    },
                    "subject_keywords": ["help", "problem"],
                    "polling_interval": 60,
                },
            ),
            Example(
                "Invoices of known vendors",
                "PDF invoices under a Gmail label, up to 20 MB.",
                {
                    "email_provider": "gmail_api",
                    "server_config": {"base_url": "https://gmail.googleapis.com"},
                    "credentials": {
                        "client_id": "1234.apps.googleusercontent.com",
                        "client_secret": "${vault:gmail-client-secret}",
                        "refresh_token": "${vault:gmail-refresh-token}",
                    },
                    "mailbox": "invoices",
                    "sender_whitelist": ["billing@example.com", "@example.org"],
                    "attachment_types": ["pdf"],
                    "max_attachment_size": 20_971_520,
                },
            ),
            Example(
                "Pushed by the mail service",
                "The mail service posts each subscription mail to a path of ours.",
                {
                    "email_provider": "webhook",
                    "server_config": {"path": "/mail/newsletter"},
                    "credentials": {"secret": "${vault:mail-webhook-secret}"},
                    "filter_criteria": {"subject_contains": "newsletter"},
                    "process_attachments": False,
                },
            ),
            Example(
                "Alerts of the monitoring",
                "Alarm mails from one sender, looked for every 30 seconds.",
                {
                    "email_provider": "outlook_api",
                    "server_config": {"base_url": "https://graph.microsoft.com"},
                    "credentials": {
                        "client_id": "7a1c0e9b",
                        "client_secret": "${vault:outlook-client-secret}",
                        "refresh_token": "${vault:outlook-refresh-token}",
                    },
                    "subject_keywords": ["ALERT", "CRITICAL"],
                    "sender_whitelist": ["monitoring@example.com"],
                    "process_attachments": False,
                    "polling_interval": 30,
                },
            ),
        ),
    )


node = Email()
