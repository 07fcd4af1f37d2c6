"""Model servers on this machine: looked for in the background, known to every conversation afterwards."""

from __future__ import annotations

import asyncio
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...providers.local import LocalServer
    from ...providers.registry import Registry


class LocalServers:
    """What was found at the last look; nothing before the first."""

    def __init__(self) -> None:
        self.found: tuple[LocalServer, ...] = ()

    async def look(self, registry: Registry) -> tuple[LocalServer, ...]:
        """Knock at the usual ports and take what answers into the registry. Raises nothing.

        What this needs is imported in a thread, so that the screen stays live.
        """
        local, config = await asyncio.to_thread(_modules)
        found = await local.find_local_servers([registry.configs[name] for name in config.LOCAL])
        self.found = found
        self.tell(registry)
        return self.found

    def tell(self, registry: Registry) -> None:
        """Let a registry know what was found."""
        for server in self.found:
            registry.add_served(server.config, server.models)


def _modules() -> tuple[ModuleType, ModuleType]:
    import_module("...providers.http_provider", __package__)
    return import_module("...providers.local", __package__), import_module("...providers.config", __package__)
