"""What the older systems call their variables."""

ROOTS = {
    "$json": "data",
    "$input": "inputs",
    "$config": "config",
    "$trigger": "trigger",
    "$node": "nodes",
    "input_data": "data",
}
