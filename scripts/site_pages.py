# pyright: reportMissingImports=false
"""What the documentation site is made of (a hook of MkDocs, see mkdocs.yml): pages of the
repository's top folder and of `docs/`, pictures, and the examples.

Each file has the same place in the site as in the repository, so that a link between two of them
works on a page of the repository and on one of the site, and strict checking covers both.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = ("*.md", "docs/**/*.md", "docs/pictures/*", "results/*", "examples/*", "ladders/*")
COMMENT = re.compile(r"^<!-- .* -->$", re.MULTILINE)
LIST_AFTER_TEXT = re.compile(
    r"^(?!\s*(?:[-*]|\d+\.) )(?=\S)(.+)\n(?=(?:[-*]|\d+\.) )", re.MULTILINE
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lists pages of `docs/` that the navigation does not name at the end of the guide."""
    pages = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md"))
    guide = next(part["Guide"] for part in config.nav or [] if "Guide" in part)
    guide += [page for page in pages if page not in str(config.nav)]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The files of the repository that the site has, and those of the theme."""
    paths = {path for pattern in PATTERNS for path in ROOT.glob(pattern) if path.is_file()}
    ours = [_file(path, config) for path in sorted(paths)]
    return Files([*ours, *(file for file in files if file.src_dir != config.docs_dir)])


def _file(path: Path, config: MkDocsConfig) -> File:
    place = path.relative_to(ROOT).as_posix()
    return File(place, str(ROOT), config.site_dir, config.use_directory_urls)


def on_page_markdown(markdown: str, **_: object) -> str:
    """A page as Markdown of the site reads it: a table after a comment, and a list after a line of
    text, want an empty line between them, which a page of a repository does not."""
    without = COMMENT.sub("", markdown)
    pieces = re.split(r"(^```.*?^```)", without, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        piece if piece.startswith("```") else LIST_AFTER_TEXT.sub(r"\1\n\n", piece)
        for piece in pieces
    )
