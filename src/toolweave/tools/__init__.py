"""Tools as data: parameters, schemas, values, calls and results. Pure: no I/O, no await."""
