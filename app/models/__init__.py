"""Which model answers, and with which key."""
