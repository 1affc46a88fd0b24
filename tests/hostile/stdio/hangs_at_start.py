"""Starts and never says a word nor reads one."""

from wellbehaved import Server

Server().pause(Server.life_s)
