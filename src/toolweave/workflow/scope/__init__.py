"""What the expressions of a node see: names, where they come from, and what is known of them."""
