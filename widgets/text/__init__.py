"""Text in terminal cells: widths, wrapping, Markdown, syntax, styles."""
