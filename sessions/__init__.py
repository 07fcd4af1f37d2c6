"""The session tree on disk: append, load, build the model's context."""
