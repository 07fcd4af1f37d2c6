"""The approval panel, and reviewing a change hunk by hunk."""
