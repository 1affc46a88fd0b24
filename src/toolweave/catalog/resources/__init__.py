"""What nodes may use of the outside world: a protocol for each resource, and their record."""
