"""The manual says what is there: every operation, its fields and answers, and a client."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from katachi.interfaces.web.operations import OPERATIONS
from tests.interfaces.web.conftest import Page, RunningSite

ROOT = Path(__file__).parents[3]
MANUAL = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")
CLIENT = ROOT / "examples" / "web_client.py"
SECTIONS = dict(re.findall(r"^### ([a-z_]+)\n(.*?)(?=^##)", MANUAL, re.M | re.S))
NOT_ASKED = ("start", "run", "watch", "stop", "ladder_games", "ladder_game")
"""Their own tests ask them: they need a run, begin one, or need a ladder's games."""


def example_of(name: str) -> dict[str, Any]:
    found = re.search(r"```json\n(.*)\n```", SECTIONS[name])
    assert found is not None
    example: dict[str, Any] = json.loads(found[1])
    return example


def words_of(name: str) -> set[str]:
    return set(re.findall(r"`([a-z_0-9]+)`", SECTIONS[name]))


def test_every_operation_is_in_the_manual_and_no_other(page: Page) -> None:
    page.ask("hello")
    assert {name for name in OPERATIONS if not name.startswith("test_")} == SECTIONS.keys()


@pytest.mark.parametrize("name", SECTIONS)
def test_every_field_is_in_the_manual_and_the_example_has_no_other(page: Page, name: str) -> None:
    page.ask("hello")
    request = OPERATIONS[name].request
    assert set(request.__struct_fields__) <= words_of(name)
    example = example_of(name)
    assert example["op"] == name
    msgspec.convert(example["fields"], request)


@pytest.mark.parametrize("name", [name for name in SECTIONS if name not in NOT_ASKED])
def test_an_example_is_answered_with_what_the_manual_names(page: Page, name: str) -> None:
    fields = example_of(name)["fields"]
    if name == "ladder":
        fields["id"] = page.ask("ladders")["ladders"][0]["id"]
    assert page.ask(name, **fields).keys() <= words_of(name)


def test_the_client_on_the_page_is_the_one_that_works(server: RunningSite) -> None:
    text = CLIENT.read_text(encoding="utf-8")
    assert f"```python\n{text}```" in MANUAL
    assert len(text.splitlines()) <= 20
    command = [sys.executable, str(CLIENT), server.url]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert re.fullmatch(r"white [A-J][1-9], Black wins \d+%\n", done.stdout)
