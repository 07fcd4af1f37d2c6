"""The transcript: cells, their bodies, and the window on them."""
