"""Wiring only: command line, settings, screens, headless modes."""
