"""Diffs: patches read, and shown."""
