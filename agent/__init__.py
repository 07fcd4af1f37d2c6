"""The core: messages, events, tools, the call pipeline, the loop. No screen, no network, no disk."""
