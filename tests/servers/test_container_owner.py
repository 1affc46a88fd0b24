"""Whether the one who started a container still lives."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from toolweave.servers.container_owner import ContainerOwner


def test_an_owner_reads_as_it_was_written() -> None:
    here = ContainerOwner.this()
    assert here.pid == os.getpid()
    assert ContainerOwner.parse(str(here)) == here


@pytest.mark.parametrize("text", ["", "a/b/c/d/e", "a/b/c/1", "a/b/c/1/2/3", "a/b/c/-1/2"])
def test_a_label_we_did_not_write_names_nobody(text: str) -> None:
    assert ContainerOwner.parse(text) is None


def test_we_are_not_gone() -> None:
    here = ContainerOwner.this()
    assert not here.is_gone(here)
    assert not replace(here, started="").is_gone(replace(here, started=""))


def test_an_owner_that_ended_is_gone() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = ContainerOwner.this()
    assert replace(here, pid=ended.pid, started="1").is_gone(here)
    assert replace(here, pid=ended.pid, started="").is_gone(here)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process began")
def test_a_number_that_was_given_out_again_is_not_the_owner() -> None:
    here = ContainerOwner.this()
    assert replace(here, started="1").is_gone(here)


def test_after_a_restart_of_the_machine_every_owner_is_gone() -> None:
    here = ContainerOwner.this()
    assert replace(here, boot="before").is_gone(here)


def test_an_owner_elsewhere_cannot_be_judged() -> None:
    here = ContainerOwner.this()
    assert not replace(here, machine="elsewhere", boot="other", pid=1, started="1").is_gone(here)
    assert not replace(here, namespace="elsewhere", pid=1, started="1").is_gone(here)
