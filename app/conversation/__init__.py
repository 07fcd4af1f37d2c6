"""One conversation: put together, run, asked, kept up to date."""
