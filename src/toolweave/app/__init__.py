"""Composes the rooms: the studio, its engine, the change feed and the doctor."""
