"""What skills and prompt templates have in common: small Markdown files that people keep in folders."""

from __future__ import annotations

from pathlib import Path

from ..agent.frozen import frozen
from .frontmatter import Document, FrontmatterError, parse_frontmatter

MAX_BYTES = 1024 * 1024


@frozen
class ResourceProblem:
    """A file that is not used, or not as it was meant, and why."""

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def read_text(path: Path) -> str | ResourceProblem:
    """Read one text file; bytes that are no UTF-8 become replacement characters."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return ResourceProblem(path, f"could not be read: {error.strerror or error}")
    if len(data) > MAX_BYTES:
        return ResourceProblem(path, "longer than 1 MiB; not loaded")
    return data.decode("utf-8-sig", errors="replace")


def read_document(path: Path) -> Document | ResourceProblem:
    """Read one file with its frontmatter."""
    text = read_text(path)
    if isinstance(text, ResourceProblem):
        return text
    try:
        return parse_frontmatter(text)
    except FrontmatterError as error:
        return ResourceProblem(path, f"bad frontmatter, {error}; not loaded")
