"""Sessions as the program uses them: chosen, opened, kept, shown, exported."""
