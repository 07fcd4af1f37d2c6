"""The headings under which the settings stand on their screen."""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Model": ("default_provider", "default_model", "enabled_models", "default_thinking_level"),
    "What may happen": (
        "approval",
        "sandbox",
        "sandbox_network",
        "sandbox_writable",
        "default_tools",
        "default_project_trust",
    ),
    "Writing": ("editor_mode", "external_editor", "steering_mode", "follow_up_mode"),
    "Screen": (
        "theme",
        "theme_dark",
        "theme_light",
        "diff_view",
        "pictures",
        "hide_thinking",
        "reduced_motion",
        "mouse",
        "linear",
    ),
    "Terminal": ("notify", "title", "progress", "exit_output"),
    "Commands": ("shell_path", "shell_command_prefix", "command_timeout", "pass_environment"),
    "Sessions and network": ("session_dir", "http_idle_timeout_ms"),
    "Summaries": ("compaction.enabled", "compaction.reserve_tokens", "compaction.keep_recent_tokens"),
    "Requests that fail": (
        "retry.enabled",
        "retry.max_retries",
        "retry.base_delay_ms",
        "retry.max_agent_delay_ms",
    ),
    "Limits of a run": ("limits.max_turns", "limits.max_tool_calls", "limits.max_cost"),
}
"""Every setting in exactly one group, the groups and their settings in the order in which they are shown."""
