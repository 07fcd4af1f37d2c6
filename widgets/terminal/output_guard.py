"""What keeps output that is not the app's off the terminal."""

from __future__ import annotations

from typing import Protocol


class OutputGuard(Protocol):
    """Takes descriptors 1 and 2 away while the app has the terminal. Both methods may be called twice."""

    def catch(self) -> None:
        """From here on nothing that is written to them is seen."""
        ...

    def release(self) -> None:
        """They are as they were."""
        ...
