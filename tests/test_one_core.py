"""NumPy's products take one core in our processes, and what they took in those of others."""

import os

import pytest

from katachi.one_core import OURS, VARIABLES, as_the_user_had_it, use_one_core

ONE, OTHER = VARIABLES


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment in which nobody has said anything; it is put back afterwards."""
    for name in (ONE, OTHER, OURS):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return monkeypatch


def test_programs_of_others_hear_nothing_of_our_one_core(plain: pytest.MonkeyPatch) -> None:
    plain.setenv("KATACHI_TEST", "kept")
    before = dict(os.environ)
    use_one_core()
    assert os.environ[ONE] == "1"
    use_one_core()  # as a process does that this one begins
    assert as_the_user_had_it(os.environ) == before


@pytest.mark.parametrize("name", VARIABLES)
def test_what_the_user_says_holds_everywhere(name: str, plain: pytest.MonkeyPatch) -> None:
    plain.setenv(name, "3")
    before = dict(os.environ)
    use_one_core()
    assert dict(os.environ) == before == as_the_user_had_it(os.environ)
