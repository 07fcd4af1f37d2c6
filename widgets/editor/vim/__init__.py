"""Vim's keys: what is typed becomes commands, commands change the text."""
