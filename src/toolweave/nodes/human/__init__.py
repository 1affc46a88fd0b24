"""HUMAN_IN_THE_LOOP nodes: ask a person, wait, and go on by what the answer means."""
