"""The terminal itself: driver, keyboard, what is written to it."""
