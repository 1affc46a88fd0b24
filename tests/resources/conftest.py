"""The stores of memory nodes, and what they need."""

from tests.nodes.memory.conftest import address as address
from tests.nodes.memory.conftest import clock as clock
from tests.nodes.memory.conftest import database as database
from tests.nodes.memory.conftest import memory as memory
from tests.nodes.memory.conftest import plain_memory as plain_memory
from tests.nodes.memory.conftest import plain_stores as plain_stores
from tests.nodes.memory.conftest import postgres_address as postgres_address
from tests.nodes.memory.conftest import redis_server as redis_server
from tests.nodes.memory.conftest import secrets as secrets
from tests.nodes.memory.conftest import sqlite_database as sqlite_database
from tests.nodes.memory.conftest import stores as stores
