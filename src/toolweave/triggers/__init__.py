"""What starts runs: schedules, webhooks, mail, files, events and failed runs."""
