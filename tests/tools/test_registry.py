import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from pyagent_tui.agent.tool import AnyTool, ToolContext
from pyagent_tui.tools.memory import MemoryOperations
from pyagent_tui.tools.operations import Command
from pyagent_tui.tools.powershell import PowerShellTool
from pyagent_tui.tools.registry import DEFAULT_ACTIVE, ToolChoice, UnknownTool, create_tools, select_tools
from pyagent_tui.tools.settings import ToolSettings

pytestmark = pytest.mark.anyio


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, AnyTool]:
    return create_tools(str(tmp_path))


def names(tools: dict[str, AnyTool], **choice: object) -> list[str]:
    return list(select_tools(tools, ToolChoice(**choice), builtin=tools))  # type: ignore[arg-type]


def test_four_tools_are_active_by_default(tools: dict[str, AnyTool]) -> None:
    assert names(tools) == list(DEFAULT_ACTIVE) == ["read", "bash", "edit", "write"]


def test_options_choose(tools: dict[str, AnyTool]) -> None:
    assert names(tools, only=["read", "grep"]) == ["read", "grep"]
    assert names(tools, only=["+grep", "-bash"]) == ["read", "edit", "write", "grep"]
    assert names(tools, excluded=["bash"]) == ["read", "edit", "write"]
    assert names(tools, no_tools=True) == []
    assert names(tools, no_tools=True, only=["read"]) == ["read"]
    assert names(tools, no_builtin=True) == []
    assert names(tools, default=["+ls"]) == ["read", "bash", "edit", "write", "ls"]
    assert names(tools, default=["read"]) == ["read"]


def test_an_unknown_name_gets_the_nearest_ones(tools: dict[str, AnyTool]) -> None:
    with pytest.raises(UnknownTool, match=r"no tool 'raed'. Did you mean read\?"):
        names(tools, only=["raed"])
    with pytest.raises(UnknownTool, match="Known: read, bash"):
        names(tools, excluded=["zzzzz"])


def test_plain_and_signed_names_are_not_mixed(tools: dict[str, AnyTool]) -> None:
    with pytest.raises(ValueError, match="mixed"):
        names(tools, only=["read", "+grep"])


def test_every_tool_tells_the_model_a_closed_schema(tools: dict[str, AnyTool]) -> None:
    for tool in tools.values():
        parameters = tool.spec.parameters
        assert parameters["additionalProperties"] is False
        assert all("description" in field for field in parameters["properties"].values())
        assert tool.label
        assert tool.prompt_snippet


def test_only_bash_may_do_anything_and_only_edit_and_write_change(tools: dict[str, AnyTool]) -> None:
    effects = {name: tool.effect for name, tool in tools.items()}
    assert effects.pop("bash") == "command"
    assert (effects.pop("edit"), effects.pop("write")) == ("change", "change")
    assert set(effects.values()) == {"read"}


async def test_powershell_is_there_on_windows_only(tmp_path: Path, tools: dict[str, AnyTool]) -> None:
    assert "powershell" not in tools
    tool = create_tools(str(tmp_path), windows=True)["powershell"]
    assert tool.effect == "command"


async def test_powershell_gets_the_command_without_quoting(tmp_path: Path) -> None:
    async def run(command: Command, write: Callable[[bytes], None]) -> int:
        text = base64.b64decode(command.argv[-1]).decode("utf-16-le")
        write(f"{command.argv[:-1]}\n{text}".encode())
        return 5

    tool = PowerShellTool(MemoryOperations({"/p/x": b""}, run=run), "/p", ToolSettings())
    result = await tool.execute("1", tool.Arguments(command="echo 'é' \"$x\""), ToolContext())
    assert result.is_error
    assert "'pwsh', '-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand'" in result.text
    assert "\necho 'é' \"$x\"\n" in result.text
    assert "exited with code 5" in result.text
