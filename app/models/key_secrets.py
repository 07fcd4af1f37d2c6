"""The keys of model providers: which variables hold them, and what hides them in results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...agent.hooks import Redactor
from ...policy.environment import known_secrets
from ...policy.secrets import make_redactor
from ...providers.config import PROVIDERS
from .choice import ModelChoice, key_variables, literal_keys

if TYPE_CHECKING:
    pass


def secret_names(choice: ModelChoice) -> frozenset[str]:
    """The environment variables that hold keys of model providers."""
    return key_variables((PROVIDERS if choice.registry is None else choice.registry.configs).values())


def redactor_of(choice: ModelChoice) -> Redactor:
    """Hides the keys of model providers, wherever they are from."""
    stored = {} if choice.registry is None else literal_keys(choice.registry)
    return make_redactor({**stored, **known_secrets(os.environ, secret_names(choice))})
