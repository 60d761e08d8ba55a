"""Tests that other programs read the files that `mcp install` writes: FastMCP, Codex, mcporter and the Inspector."""

import json
import os
import stat
import subprocess
from pathlib import Path

from checks import end, part
from program import ENVIRONMENT, HOME, LIMIT, WORK, done, fails
from servers import EVERYTHING

PACKAGES = Path(os.environ["PACKAGES"])
URL = "https://docs.example.com/mcp"
PROJECT = Path(HOME)
PROGRAM = ["install", "--yes", "--env", "LEVEL=debug"]

CURSOR = PROJECT / ".cursor/mcp.json"
CLAUDE_CODE = PROJECT / ".claude.json"
CLAUDE_DESKTOP = PROJECT / ".config/Claude/claude_desktop_config.json"
VSCODE = PROJECT / ".config/Code/User/mcp.json"
WINDSURF = PROJECT / ".codeium/windsurf/mcp_config.json"
ZED = PROJECT / ".config/zed/settings.json"
GEMINI = PROJECT / ".gemini/settings.json"
CODEX = PROJECT / ".codex/config.toml"

# The files before the first command. FastMCP reads files without comments, and mcporter without a byte order mark.
FILES = {
    CURSOR: '{\n\t// tools\n\t"mcpServers": {\n\t\t"old": { "command": "old" }, // one\n\t},\n}\n',
    VSCODE: '{\n  "inputs": [],\n  /* none yet */\n  "servers": {}\n}',
    CLAUDE_CODE: '{"numStartups": 7,\n "projects": {"/p": {"mcpServers": {"everything": {"command": "other"}}}}}\n',
    CLAUDE_DESKTOP: '{\r\n  "mcpServers": {\r\n    "old": {\r\n      "command": "old"\r\n    }\r\n  }\r\n}\r\n',
    WINDSURF: '{"mcpServers": {}}',
    ZED: '\ufeff{"theme": "dark"}',
    CODEX: "# models\nmodel = 'x'\n\n[mcp_servers.old] # one\ncommand = 'old'\n\n[tui]\ntheme = 'dark'\n# end",
}


def write():
    for file, text in FILES.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        file.chmod(0o600)
    # Gemini CLI's file is a link into a folder of dotfiles.
    target = PROJECT / "dotfiles/gemini.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text('{"theme": "dark"}\n')
    GEMINI.parent.mkdir(exist_ok=True)
    GEMINI.unlink(missing_ok=True)
    GEMINI.symlink_to("../dotfiles/gemini.json")


def output(*command):
    ended = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=HOME, env=ENVIRONMENT)
    assert ended.returncode == 0, ended
    return ended.stdout


def node(script, *arguments):
    return output("node", str(PACKAGES / script), *arguments)


def mcporter(client):
    entries = json.loads(node("mcporter/dist/cli.js", "config", "import", client, "--json"))["entries"]
    return {entry["name"]: entry["entry"] for entry in entries}


write()
for client in ["claude-code", "claude-desktop", "cursor", "vscode", "windsurf", "zed", "gemini-cli", "codex"]:
    done(*PROGRAM, client, "everything", "--", *EVERYTHING)
    done("install", client, "docs", URL, "--yes")


@part("mcporter")
def _():
    for client in ["cursor", "vscode", "windsurf", "codex"]:
        found = mcporter(client)
        assert os.path.isabs(found["everything"]["command"]), found
        assert found["everything"]["args"] == EVERYTHING[1:], found
        assert found["everything"]["env"] == {"LEVEL": "debug"}, found
        assert found["docs"]["baseUrl"] == URL, found


@part("Codex")
def _():
    listed = json.loads(node("@openai/codex/bin/codex.js", "mcp", "list", "--json"))
    found = {server["name"]: server["transport"] for server in listed}
    assert set(found) == {"old", "everything", "docs"}, found
    assert found["everything"]["args"] == EVERYTHING[1:] and found["everything"]["env"] == {"LEVEL": "debug"}, found
    assert found["docs"]["url"] == URL, found
    header = ["--header", "Authorization: Bearer ${TOKEN}", "--header", "X-Key: ${KEY}", "--header", "X-A: b"]
    done("install", "codex", "headers", URL, "--yes", *header)
    done("install", "codex", "variables", "--yes", "--env", "KEY", "--", *EVERYTHING)
    listed = json.loads(node("@openai/codex/bin/codex.js", "mcp", "list", "--json"))
    found = {server["name"]: server["transport"] for server in listed}
    assert found["headers"]["bearer_token_env_var"] == "TOKEN", found
    assert found["headers"]["env_http_headers"] == {"X-Key": "KEY"}, found
    assert found["headers"]["http_headers"] == {"X-A": "b"}, found
    assert found["variables"]["env_vars"] == ["KEY"], found


@part("FastMCP")
def _():
    listed = json.loads(output(str(Path(os.environ["PYTHON"]).parent / "fastmcp"), "discover", "--json"))
    for source in ["claude-desktop", "claude-code", "gemini"]:
        found = {it["name"]: it["transport_summary"] for it in listed if it["source"] == source}
        assert found["everything"].endswith(EVERYTHING[1]), listed
        assert ("proxy " + URL if source == "claude-desktop" else URL) in found["docs"], found


@part("the Inspector starts what is installed")
def _():
    inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    for file in [CLAUDE_CODE, CLAUDE_DESKTOP, GEMINI]:
        options = ["--config", str(file), "--server", "everything", "--method", "tools/list"]
        tools = node(inspector, "--cli", *options)
        assert "get-sum" in tools, tools


@part("what was there stays")
def _():
    assert "\t// tools" in CURSOR.read_text() and "// one" in CURSOR.read_text(), CURSOR.read_text()
    assert "/* none yet */" in VSCODE.read_text() and not VSCODE.read_text().endswith("\n")
    assert CLAUDE_DESKTOP.read_bytes().count(b"\n") == CLAUDE_DESKTOP.read_bytes().count(b"\r\n")
    assert ZED.read_text().startswith('\ufeff{') and "context_servers" in ZED.read_text()
    assert CODEX.read_text().startswith("# models\nmodel = 'x'\n\n[mcp_servers.old] # one\n"), CODEX.read_text()
    assert GEMINI.is_symlink() and json.loads(GEMINI.read_text())["theme"] == "dark"
    assert stat.S_IMODE(CURSOR.stat().st_mode) == 0o600
    for client in ["cursor", "claude-desktop"]:
        for name in ["everything", "docs"]:
            done("uninstall", client, name, "--yes")
    for file in [CURSOR, CLAUDE_DESKTOP]:
        assert file.read_bytes() == FILES[file].encode(), file.read_text()


@part("a file that is read-only or half-written stays as it is")
def _():
    VSCODE.chmod(0o400)
    WINDSURF.write_text('{"mcpServers": {"a": {')
    CODEX.write_text("[mcp_servers.a]\ncommand = ")
    before = [file.read_bytes() for file in (VSCODE, WINDSURF, CODEX)]
    assert "read-only" in fails(2, "usage", "install", "vscode", "x", URL, "--yes")
    assert "mcp_config.json:1:" in fails(2, "usage", "install", "windsurf", "x", URL, "--yes")
    assert "config.toml:2:" in fails(2, "usage", "install", "codex", "x", URL, "--yes")
    assert [file.read_bytes() for file in (VSCODE, WINDSURF, CODEX)] == before


end()
