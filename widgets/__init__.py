"""Textual widgets: transcript, cells, diff view, editor, queue, status."""
