"""The node catalog: what every node is, takes and gives; found, corrected and searched. Pure."""
