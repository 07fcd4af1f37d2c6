"""Why the program cannot start as it was asked to."""


class StartError(Exception):
    """Something the person asked for cannot be; the text says what is wrong and what to do."""


class NoModelError(StartError):
    """No key and no server: nothing is set up that could answer."""
