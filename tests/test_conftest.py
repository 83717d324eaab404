"""A test that needs a program outside Python never passes without it."""

import shutil
import subprocess

import pytest

from tests import conftest


def find_nothing(name: str, path: str | None = None) -> None:
    """A search for a program on a machine that has none."""


def test_without_gnugo_a_test_is_skipped_with_the_command_that_fixes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", find_nothing)
    monkeypatch.setattr(conftest, "IN_CI", False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install gnugo"):
        conftest.require_gnugo()


def test_without_gnugo_a_test_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", find_nothing)
    monkeypatch.setattr(conftest, "IN_CI", True)
    with pytest.raises(pytest.fail.Exception, match="needs GNU Go"):
        conftest.require_gnugo()


def test_without_node_a_test_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", find_nothing)
    with pytest.raises(pytest.skip.Exception, match=r"Node\.js"):
        conftest.require_node()


def test_the_gnugo_that_is_found_is_gnu_go(gnugo: str) -> None:
    answer = subprocess.run([gnugo, "--version"], capture_output=True, text=True, check=True)
    assert "GNU Go" in answer.stdout
