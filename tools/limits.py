"""How many results a search returns where the model does not say."""

from __future__ import annotations

FIND_LIMIT = 1000
GREP_LIMIT = 100
LS_LIMIT = 500
