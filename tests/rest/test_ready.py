"""Whether the service can work, for load balancers and orchestrators."""

from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.storage.postgres import Postgres

from rest.house import House, house_in

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("postgres")]


async def test_a_service_without_its_database_is_alive_and_not_ready(
    tmp_path: Path, postgres: Postgres
) -> None:
    address = postgres.new_database()
    async with house_in(tmp_path, database=address) as house:
        answer = await house.client.get("/ready")
        assert (answer.status_code, answer.json()) == (200, {"ready": True})

        name = urlsplit(address).path.strip("/")
        drop = f"DROP DATABASE {name} WITH (FORCE)".encode()
        with psycopg.connect(postgres.new_database(), autocommit=True) as connection:
            connection.execute(drop)
            await is_not_ready(house, name)
            # One of the same name that answers, but has none of the tables.
            connection.execute(f"CREATE DATABASE {name}".encode())
            await is_not_ready(house, name)
            connection.execute(drop)


async def is_not_ready(house: House, name: str) -> None:
    answer = await house.client.get("/ready")
    assert answer.status_code == 503, answer.text
    assert answer.json()["error"]["code"] == "STORAGE_UNREACHABLE"
    assert name not in answer.text
    assert (await house.client.get("/health")).status_code == 200
