"""Runs every command in a pipe, and checks data, errors and exit codes for people and for scripts."""

import json
import os
import shlex
import signal
import subprocess
import sys

from checks import end, part
from program import ENVIRONMENT, HOME, LIMIT, MCP, WORK, document, done, fails, run
from servers import FASTMCP, fastmcp_over_http, free_port, until

RECORD = f"{WORK}/record"
os.environ["RECORD"] = RECORD
serving = fastmcp_over_http()
URL = serving.__enter__()


def piped(line, *arguments):
    """Runs a line of bash in which `mcp` is the command. The exit code is that of `mcp`."""
    ended = subprocess.run(
        ["bash", "-c", f'mcp() {{ "$MCP" "$@"; }}; {line}; exit "${{PIPESTATUS[0]}}"', "bash", *arguments],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        cwd=HOME,
        env=ENVIRONMENT,
    )
    return ended.returncode, ended.stdout, ended.stderr


@part("each command with a result")
def _():
    words = ["forecast", "place.city=Oslo"]
    assert document("call", URL, *words)["structuredContent"]["city"] == "Oslo"
    assert done("call", URL, *words).json == document("call", URL, *words)["structuredContent"]
    assert document("inspect", URL)["server"]["name"] == "stranger"
    assert document("inspect", URL, "--tool", "forecast")["name"] == "forecast"
    shown = done("inspect", URL, "--tool", "forecast").text
    assert shown.startswith("forecast\n") and "  place.city    string" in shown, shown
    command = shown.split("\nexample\n  mcp ")[1]
    assert json.loads(done(*shlex.split(command)).stdout)["city"] == "CITY", command
    assert document("call", URL, "forecast", '{"place": {"city": "Oslo"}}')["structuredContent"]["city"] == "Oslo"
    assert document("read", URL, "note://Ada/x")["contents"][0]["text"] == "x of Ada"
    assert document("prompt", URL, "travel", "city=Oslo")["messages"][0]["role"] == "user"
    assert document("prompt", URL, "travel", "--complete", "city", "L")["values"] == ["Lima"]
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"]:
        assert b"mcp" in done("completions", shell).stdout
    assert subprocess.run(["bash", "-n"], input=done("completions", "bash").stdout, timeout=LIMIT).returncode == 0
    version = subprocess.run(
        [f"{os.path.dirname(MCP)}/cargo-mcp", "mcp", "--version"], capture_output=True, timeout=LIMIT
    )
    assert version.stdout == done("--version").stdout and version.stdout, version
    for option in ["--help", "--version", "--json --help"]:
        assert done(*option.split()).stdout
    assert run("listen", URL, "--era", "handshake", "--for", "1s").stdout == b""


@part("structured content is shown once")
def _():
    assert done("call", URL, "many").text.count("line 99999") == 1


@part("the servers of files")
def _():
    config = f"{WORK}/servers.json"
    dead = f"http://127.0.0.1:{free_port()}/mcp"
    with open(config, "w") as file:
        servers = {
            "alive": {"type": "http", "url": URL},
            "dead": {"type": "http", "url": dead},
            "unset": {"command": "${UNSET_X}"},
        }
        json.dump({"mcpServers": servers}, file)
    listed = document("servers", "--config", config)["servers"]
    assert [(server["name"], server["transport"]) for server in listed] == [
        ("alive", "http"),
        ("dead", "http"),
        ("unset", "stdio"),
    ]
    assert len(done("servers", "--config", config).text.splitlines()) == 3
    checked = run("--json", "servers", "--check", "--config", config)
    assert (checked.code, checked.error["code"]) == (4, "unreachable"), checked
    alive, dead, unset = checked.json["servers"]
    assert (alive["check"]["revision"], alive["check"]["tools"]) == ("2026-07-28", 8), alive
    assert [it["check"]["error"]["code"] for it in (dead, unset)] == ["unreachable", "usage"], (dead, unset)
    shown = run("servers", "--check", "--config", config)
    assert shown.code == 4 and "2 of 3 servers failed the check" in shown.stderr, shown
    shown = shown.text
    assert "2026-07-28, tools: 8" in shown and "refused" in shown and "UNSET_X" in shown, shown
    assert document("inspect", "alive", "--config", config)["server"]["name"] == "stranger"
    assert "`alive`" in fails(2, "usage", "inspect", "aliv", "--config", config)
    assert "UNSET_X" in fails(2, "usage", "inspect", "unset", "--config", config)


@part("mistakes of the user")
def _():
    def usage(*arguments):
        return fails(2, "usage", *arguments)

    faults = usage("call", URL, "forecast", "dais=3", "days=x")
    for fault in ["is `days` meant?", "`days` must be", "`place` is missing", "`forecast` takes:\n  place "]:
        assert fault in faults, faults
    assert "`city` is missing" in usage("prompt", URL, "travel")
    assert "`title`" in usage("read", URL, "note://{owner}/{title}", "owner=Ada")
    assert "mcp servers" in usage("inspect", "nobody")
    assert "`forecast`" in fails(5, "refused", "call", URL, "forcast")
    assert "`travel`" in fails(5, "refused", "prompt", URL, "trvel")
    assert "note://x/y/z" in fails(5, "refused", "read", URL, "note://x/y/z")
    for arguments in [["no-such-command"], ["inspect", URL, "--era", "middle"], ["completions", "x"]]:
        ended = run("--json", *arguments)
        assert (ended.code, ended.stdout, ended.error["code"]) == (2, b"", "usage"), ended
        ended = run(*arguments)
        assert (ended.code, ended.stdout) == (2, b"") and ended.stderr.startswith("error: "), ended


@part("a call without a tool lists the tools")
def _():
    tools = fails(2, "usage", "call", URL)
    assert f"mcp call {URL} TOOL" in tools and "  picture   An image, of 300 bytes.\n" in tools, tools
    assert "picture" in run("--json", "call", URL).error["tools"]


@part("a tool that fails, and one that is not answered")
def _():
    assert "it is broken" in fails(5, "tool_failed", "call", URL, "fail", data=True)
    assert "`tools/call` within 1.0s" in fails(4, "timeout", "call", URL, "wait", "--timeout", "1s")


@part("servers that are not reached, or are none")
def _():
    def unreachable(*arguments, kind="unreachable"):
        return fails(4, kind, "inspect", *arguments)

    dead = f"http://127.0.0.1:{free_port()}/mcp"
    assert dead in unreachable(dead) and "refused" in unreachable(dead).lower()
    assert "no.such.host.invalid" in unreachable("http://no.such.host.invalid/mcp")
    assert "TLS" in unreachable(URL.replace("http", "https"))
    other = unreachable(URL.removesuffix("/mcp"), kind="not_mcp")
    assert "404" in other and f"try {URL}" in other, other
    assert "no-such-program" in unreachable("--", "no-such-program")
    assert "quotes" in unreachable("--", "no such program")
    ended = unreachable("--", "sh", "-c", "echo it is broken >&2; exit 3")
    assert "exit status: 3" in ended and "it is broken" in ended, ended
    assert "hello" in unreachable("--", "sh", "-c", "echo hello")
    assert "`initialize` within 1.0s" in unreachable("--timeout", "1s", "--", "sleep", "60", kind="timeout")


@part("a pipe that is closed")
def _():
    for words, line in [("call $1 many", "line 0\n"), ("inspect $1", "stranger 1.0\n"), ("--json inspect $1", "{\n")]:
        assert piped(f"mcp {words} | head -1", URL) == (0, line, ""), words
    assert piped("mcp completions bash | tail -n +2 | head -1") == (0, "_mcp() {\n", "")


@part("control characters go through a pipe untouched")
def _():
    text = "\x1b]0;title\x07\x1b[8mhidden\u202e"
    assert done("call", URL, "escape").text.startswith(text)
    assert document("call", URL, "escape")["content"][0]["text"] == text


@part("a signal cancels the call")
def _():
    for target, options in [(URL, []), (shlex.join(FASTMCP), ["--env", "RECORD"])]:
        for json_ in [[], ["--json"]]:
            open(RECORD, "w").close()
            command = [MCP, *json_, "call", target, *options, "wait"]
            caller = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**ENVIRONMENT, "RECORD": RECORD},
            )
            try:
                until(lambda: "waiting" in open(RECORD).read())
                caller.send_signal(signal.SIGINT)
                stdout, stderr = caller.communicate(timeout=LIMIT)
            finally:
                caller.kill()
            assert (caller.returncode, stdout) == (130, ""), (caller.returncode, stdout, stderr)
            error = json.loads(stderr)["error"]["code"] if json_ and stderr.startswith("{") else stderr
            assert error.strip() == "cancelled", error
            until(lambda: "cancelled" in open(RECORD).read())


serving.__exit__(*sys.exc_info())
end()
