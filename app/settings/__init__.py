"""The settings: what there is, what is read, what holds, what is changed."""
