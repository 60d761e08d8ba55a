"""Completes words in bash, zsh and fish on a terminal, for a server with hostile names. Run with `serve`, it is that server."""

import json
import os
import sys

TOOLS = ["forecast", "fetch", "$(touch ran)", "`touch ran`", "a;touch ran", "new\nline", "hide\x1b[8m", "two words", "--help"]
HELP = "$(touch described)\x1b]0;title\x07\n`touch described`"
SCHEMA = {
    "type": "object",
    "properties": {
        "days": {"type": "integer", "description": "Days"},
        "city": {"type": "string", "description": "City"},
        "unit": {"enum": ["celsius", "fahrenheit", "$(touch ran)"]},
        "daily": {"type": "boolean"},
        "x;touch ran": {"type": "string"},
    },
    "required": ["city"],
}


def serve():
    """Answers requests on standard input."""
    results = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "hostile", "version": "1"},
        },
        "tools/list": {"tools": [{"name": name, "description": HELP, "inputSchema": SCHEMA} for name in TOOLS]},
    }
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = results.get(request["method"])
            answer = {"result": result} if result else {"error": {"code": -32601, "message": "unknown"}}
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)


if sys.argv[1:] == ["serve"]:
    serve()
    sys.exit()

import pexpect

from checks import end, part
from program import ENVIRONMENT, HOME, LIMIT, MCP, WORK, done

FOLDER = f"{WORK}/completions"
os.makedirs(FOLDER)
os.makedirs(f"{HOME}/.cursor", exist_ok=True)
with open(f"{HOME}/.cursor/mcp.json", "w") as file:
    hostile = {"command": sys.executable, "args": [os.path.abspath(__file__), "serve"]}
    others = {name: {"command": "touch", "args": ["ran"]} for name in ("$(touch ran)", "h;touch ran")}
    json.dump({"mcpServers": {"hostile": hostile, **others}}, file)
done("inspect", "hostile")
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile"], 'source <("$MCP" completions bash)'),
    "zsh": (["zsh", "-f"], 'autoload -U compinit && compinit -u && source <("$MCP" completions zsh)'),
    "fish": (["fish", "--no-config"], '"$MCP" completions fish | source'),
}
# What is typed, where \t completes, and the words that the shell then would run.
LINES = [
    ("mcp ca\they", ["mcp", "call", "hey"]),
    ("mcp call ho\tfor\t", ["mcp", "call", "hostile", "forecast"]),
    ("mcp call cursor:hostile for\t", ["mcp", "call", "cursor:hostile", "forecast"]),
    # No space follows `city=`.
    ("mcp call hostile forecast ci\tOslo", ["mcp", "call", "hostile", "forecast", "city=Oslo"]),
    ("mcp call hostile forecast unit=c\t", ["mcp", "call", "hostile", "forecast", "unit=celsius"]),
    ("mcp call hostile forecast city=Oslo daily=t\t", ["mcp", "call", "hostile", "forecast", "city=Oslo", "daily=true"]),
    ("mcp call hostile forecast --time\t5s", ["mcp", "call", "hostile", "forecast", "--timeout", "5s"]),
    # Hostile names are not offered.
    ("mcp call h\t", ["mcp", "call", "hostile"]),
    ("mcp call hostile a\t", ["mcp", "call", "hostile", "a"]),
    ("mcp call hostile tw\t", ["mcp", "call", "hostile", "tw"]),
    ("mcp call hostile forecast unit=$\x7f\x7f=f\t", ["mcp", "call", "hostile", "forecast", "unit=fahrenheit"]),
]


def shell(name):
    """Starts a shell that completes `mcp`."""
    command, setup = SHELLS[name]
    child = pexpect.spawn(
        command[0], command[1:], timeout=LIMIT, cwd=FOLDER, dimensions=(50, 160), env={**ENVIRONMENT, "PS1": "> "}
    )
    child.send(f"{setup}; echo re''ady\r")
    child.expect_exact("ready")
    return child


for name in SHELLS:

    @part(f"words in {name}")
    def _(name=name):
        child = shell(name)
        for keys, words in LINES:
            # Ctrl-A moves to the beginning of the line.
            child.send(keys + "\x01printf '<%s>' \r")
            child.expect_exact("".join(f"<{word}>" for word in words))
        assert not os.listdir(FOLDER), os.listdir(FOLDER)

    @part(f"a list of names in {name}")
    def _(name=name):
        child = shell(name)
        child.send("mcp call hostile \t\t\t")
        child.expect_exact("fetch")
        shown = child.before
        # Ctrl-U clears the line.
        child.send("\x15echo do''ne\r")
        child.expect_exact("done")
        shown = (shown + child.before).decode()
        assert "forecast" in shown, shown
        assert not any(hidden in shown for hidden in ("touch ran", "two words", "hide", "\x1b]0;title", "`")), shown
        assert not os.listdir(FOLDER), os.listdir(FOLDER)


end()
