"""Nothing is wrong with this one: the neighbour a hostile server must not disturb."""

from wellbehaved import Server

Server().run()
