"""What may happen: approval, paths, secrets."""
