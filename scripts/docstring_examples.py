# pyright: reportMissingImports=false
"""Shows the examples of docstrings as code on the reference page (an extension of griffe)."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*(?:\n(?!\n).+)*\n?)", re.MULTILINE)


def with_fences(text: str) -> str:
    """A docstring whose examples are between fences."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class DocstringExamples(griffe.Extension):
    """Puts fences around what a docstring shows at the prompt."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Changes the docstring of a module, class, function or value."""
        if obj.docstring is not None:
            obj.docstring.value = with_fences(obj.docstring.value)
