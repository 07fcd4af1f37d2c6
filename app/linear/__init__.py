"""The linear mode: the program as plain lines."""
