"""The one console of all commands: what is printed is text, whoever wrote it.

Rich reads `[bold]` and `:smile:` in strings, in cells of tables and in lines of progress, and lets
escape sequences through; a name such as `[/x]` would end a command. Here no string means anything
but itself; styles are given beside it, or by `rich.text.Text`.
"""

from collections.abc import Iterable
from typing import Any

from rich import console, progress
from rich.segment import Segment
from rich.text import Text

from katachi.files.plain_text import visible


class Console(console.Console):
    """Standard output, or standard error, for people."""

    def __init__(self, **options: Any) -> None:
        """As rich's, but for what would read strings."""
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    @property
    def has_colors(self) -> bool:
        """Whether colours reach the eye: a terminal that has some, and nobody who forbids them."""
        return self.color_system is not None and not self.no_color

    @property
    def is_ascii(self) -> bool:
        """Whether nothing but plain letters can be shown."""
        return self.options.ascii_only

    def render_str(self, text: str, **options: Any) -> Text:
        """A string as it will be shown, so that widths are right."""
        return super().render_str(visible(text), **options)

    def render(
        self, renderable: console.RenderableType, options: console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The pieces of anything that can be shown; rich's own control codes stay what they are."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else piece._replace(text=visible(piece.text))


class TextColumn(progress.TextColumn):
    """Words of a line of progress."""

    def __init__(self, words: str) -> None:
        super().__init__(words, markup=False)

    def render(self, task: progress.Task) -> Text:
        """The words as they will be shown, so that their width is right."""
        text = super().render(task)
        text.plain = visible(text.plain)
        return text
