"""The editor and its text: document, layout, keys, completion."""
