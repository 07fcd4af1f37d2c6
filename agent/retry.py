"""When a failed request is tried again, and after how long."""

from __future__ import annotations

from .frozen import frozen
from .provider import ProviderError


@frozen
class RetryPolicy:
    """At most `max_retries` further tries, after 2, 4, 8 … s (`base_delay_ms` doubled, `max_delay_ms` at most)."""

    enabled: bool = True
    max_retries: int = 3
    base_delay_ms: int = 2_000
    max_delay_ms: int = 60_000

    def is_too_long(self, error: ProviderError) -> bool:
        """Whether the same request may succeed later, but only after a wait that is not taken without asking."""
        wished = error.retry_after
        return error.retryable and wished is not None and round(wished * 1000) > self.max_delay_ms

    def delay_ms(self, error: ProviderError, attempt: int) -> int | None:
        """The wait before try number `attempt` (from 1), None if there should be none.

        The server's own wish counts where it gave one; a wait longer than `max_delay_ms` is not taken silently.
        """
        if not self.enabled or not error.retryable or attempt > self.max_retries:
            return None
        if error.retry_after is not None:
            wished = round(error.retry_after * 1000)
            return None if self.is_too_long(error) else wished
        return min(self.base_delay_ms * 2 ** (attempt - 1), self.max_delay_ms)
