"""What keys and commands do: one file for each kind of thing they are about."""
