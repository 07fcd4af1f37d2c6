"""Which key does what: the tables, the person's `keys.toml` over them, the help made from them."""
