"""The command line with a home of its own for each test."""

from tests.cli.conftest import tw as tw
