"""Start the program: ``python -m pyagent_tui`` does what the console script does."""

from pyagent_tui.app.main import main

if __name__ == "__main__":
    raise SystemExit(main())
