"""Code that users bring."""
