"""Tests commands on a terminal: questions, progress, colors, Ctrl-C, and text with control characters."""

import json
import os
import re
import shlex
import stat
import sys

from checks import end, part
from program import WORK, Terminal, plain
from servers import EVERYTHING, FASTMCP, everything_over_http, fastmcp_over_http, until

RECORD, RELEASE, PAGE = f"{WORK}/record", f"{WORK}/release", f"{WORK}/page"
os.environ.update(RECORD=RECORD, RELEASE=RELEASE)
DOWN, ESCAPE, INTERRUPT = "\x1b[B", "\x1b", "\x03"
# A change of color or weight (ECMA-48, SGR).
STYLE = re.compile(rb"\x1b\[[0-9;]*m")
serving = fastmcp_over_http()
URL = serving.__enter__()


def shown(*arguments, **environment):
    """Returns the output of a command that must succeed."""
    code, output = Terminal(*arguments, **environment).end()
    assert code == 0, (code, output)
    return plain(output)


def browser():
    """Writes a browser program that saves the URL in the file `PAGE`."""
    path = f"{WORK}/browser"
    with open(path, "w") as file:
        file.write(f'#!/bin/sh\necho "$1" >"{PAGE}.new" && mv "{PAGE}.new" "{PAGE}"\n')
    os.chmod(path, stat.S_IRWXU)
    return path


@part("each command on a terminal")
def _():
    inspected = shown("inspect", URL)
    assert "  forecast\n    Answers what it was given.\n      place  object" in inspected, inspected
    assert '"city": "Oslo"' in shown("call", URL, "forecast", "place.city=Oslo")
    assert shown("read", URL, "note://Ada/x") == "x of Ada\n"
    assert shown("read", URL, "note://blob") == "note://blob: application/octet-stream, 4 B (`--save DIR` keeps it)\n"
    assert "Plan a journey to Oslo" in shown("prompt", URL, "travel", "city=Oslo")
    assert shown("completions", "fish")
    assert shown("servers")
    assert shown("listen", URL, "--era", "handshake", "--for", "1s").startswith("waiting for changes of ")
    for words in ["inspect URL", "call URL picture", "read URL note://blob", "prompt URL travel city=Oslo", "servers"]:
        json.loads(shown("--json", *words.replace("URL", URL).split()))
    code, output = Terminal("--json", "call", URL, "nothing").end()
    assert (code, json.loads(output)["error"]["code"]) == (5, "refused"), output


@part("a form, field by field")
def _():
    for era in ["handshake", "stateless"]:
        terminal = Terminal("call", URL, "--era", era, "ask")
        assert "What will it be?" in terminal.until("Answer")
        terminal.send("\r")
        terminal.answer("Name", "Ada\r")
        terminal.answer("Size")
        terminal.answer("Count", "5\r")
        terminal.answer("Sure", "n\r")
        code, output = terminal.end()
        assert code == 0 and b'accept {"name":"Ada","size":"large","count":5,"sure":false}' in output, (era, output)


@part("a value that does not fit its field is asked for again")
def _():
    terminal = Terminal("call", URL, "ask", "--answer", "name=Ada", "--answer", "sure=true", "--answer", "size=small")
    # The last field has a default, so these answers are sufficient.
    assert b'"count":7' in terminal.end()[1]
    terminal = Terminal("call", URL, "ask", "--answer", "sure=true", "--answer", "size=small")
    terminal.answer("Answer")
    terminal.answer("Name", "Ada\r")
    # 12 exceeds the maximum.
    terminal.answer("Count", "12\r")
    terminal.answer("#", "\x7f\x7f5\r")
    code, output = terminal.end()
    assert code == 0 and b'accept {"name":"Ada","size":"small","count":5,"sure":true}' in output, output


@part("a form with its defaults, another choice and answers on the command line")
def _():
    terminal = Terminal("call", URL, "ask", "--answer", "count=3")
    terminal.answer("Answer")
    terminal.answer("Name", "Ada\r")
    terminal.answer("large", DOWN + "\r")
    terminal.answer("Sure")
    code, output = terminal.end()
    assert code == 0 and b'accept {"name":"Ada","size":"small","count":3,"sure":true}' in output, output


@part("a form that is declined, or left")
def _():
    for keys, action in [(DOWN + "\r", b"decline"), (DOWN + DOWN + "\r", b"cancel"), (ESCAPE, b"cancel")]:
        terminal = Terminal("call", URL, "ask")
        terminal.answer("type to filter", keys)
        code, output = terminal.end()
        assert code == 0 and output.rstrip().endswith(action), (keys, output)
    terminal = Terminal("call", URL, "ask")
    terminal.answer("Answer")
    terminal.answer("Name", ESCAPE)
    assert terminal.end()[1].rstrip().endswith(b"cancel")


@part("a form of server-everything, with its defaults")
def _():
    with everything_over_http() as url:
        terminal = Terminal("call", url, "trigger-elicitation-request")
        terminal.answer("Answer")
        terminal.answer("Your full, legal name", "Ada\r")
        terminal.answer("Agree to the terms", "y\r")
        terminal.answer("Favorite first line")
        terminal.answer("Your email address", "ada@example.com\r")
        terminal.answer("Portfolio", "\r")
        terminal.answer("Your date of birth", "1815-12-10\r")
        terminal.answer("Your favorite integer")
        terminal.answer("Favorite number")
        for question in ["favorite friend", "favorite instruments", "favorite hero", "types of fish", "type of pet"]:
            terminal.answer(question)
        code, output = terminal.end()
        result = json.loads(plain(output).split("Raw result: ")[1])["content"]
        assert code == 0 and "homepage" not in result, output
        expected = {
            "name": "Ada",
            "check": True,
            "email": "ada@example.com",
            "birthdate": "1815-12-10",
            "integer": 42,
            "untitledSingleSelectEnum": "Monica",
            "untitledMultipleSelectEnum": ["Guitar"],
            "titledSingleSelectEnum": "hero-1",
            "titledMultipleSelectEnum": ["fish-1"],
            "legacyTitledEnum": "pet-1",
        }
        assert expected.items() <= result.items(), result


@part("a page, which is opened after a yes")
def _():
    with everything_over_http() as url:
        page = "https://example.com/form?a=b"
        for keys, action in [("\r", "accept"), (DOWN + "\r", "decline"), (ESCAPE, "cancel")]:
            terminal = Terminal("call", url, "trigger-url-elicitation", f"url={page}", BROWSER=browser())
            assert page in terminal.until("Open this page of example.com?")
            terminal.answer("Cancel", keys)
            code, output = terminal.end()
            assert code == 0 and action in plain(output).lower(), (action, output)
            if action == "accept":
                until(lambda: os.path.exists(PAGE))
                assert open(PAGE).read() == page + "\n"
                os.remove(PAGE)
        assert not os.path.exists(PAGE)


@part("a no does not open the page")
def _():
    with everything_over_http() as url:
        terminal = Terminal("call", url, "trigger-url-elicitation", "url=https://example.com", BROWSER=browser())
        terminal.answer("Open this page of example.com?", "n\r")
        code, output = terminal.end()
        assert code == 0 and '"action": "decline"' in plain(output) and not os.path.exists(PAGE), output


@part("progress")
def _():
    if os.path.exists(RELEASE):
        os.remove(RELEASE)
    terminal = Terminal("call", URL, "climb")
    terminal.until("3/3 ")
    open(RELEASE, "w").close()
    code, output = terminal.end()
    assert code == 0 and "at the top" in plain(output), output
    # The line is gone at the end.
    assert plain(output).split("step 3")[-1].split("\r")[-1].strip().startswith("at the top"), output
    # Progress is not shown in a pipe or with `--json`.
    assert "3/3" not in shown("--json", "call", URL, "climb")
    piped, bar = f"{WORK}/piped", Terminal.shell('mcp call "$1" climb >"$2"', URL, f"{WORK}/piped").end()[1]
    assert open(piped).read().startswith("at the top\n") and b"3/3" in bar, bar
    assert Terminal.shell('mcp call "$1" climb 2>"$2"', URL, piped).end()[1].startswith(b"at the top")
    assert open(piped).read() == ""


@part("text that would control the terminal")
def _():
    code, output = Terminal("call", URL, "escape").end()
    assert code == 0 and b"\\u{1b}]0;title\\u{7}\\u{1b}[8mhidden\\u{202e}" in output, output
    assert b"\x1b]" not in output and b"\x07" not in output and "\u202e".encode() not in output, output
    # JSON output is the same on a terminal.
    text = json.loads(Terminal("--json", "call", URL, "escape").end()[1])["content"][0]["text"]
    assert text == "\x1b]0;title\x07\x1b[8mhidden\u202e", text
    piped = f"{WORK}/piped"
    Terminal.shell('mcp call "$1" escape | cat >"$2"', URL, piped).end()
    assert open(piped, "rb").read().startswith(text.encode())


@part("colours, and none with NO_COLOR")
def _():
    for words in ["inspect", "prompt"]:
        arguments = [words, URL, *(["travel", "city=Oslo"] if words == "prompt" else [])]
        assert STYLE.search(Terminal(*arguments).end()[1])
        assert not STYLE.search(Terminal(*arguments, NO_COLOR="1").end()[1])
    assert not STYLE.search(Terminal("-v", "call", URL, "picture", NO_COLOR="1").end()[1])


@part("Ctrl-C cancels the call, and the server learns of it")
def _():
    for arguments in [[URL, "wait"], [shlex.join(FASTMCP), "--env", "RECORD", "wait"], ["--json", URL, "wait"]]:
        open(RECORD, "w").close()
        terminal = Terminal("call", *arguments, RECORD=RECORD)
        until(lambda: "waiting" in open(RECORD).read())
        terminal.send(INTERRUPT)
        code, output = terminal.end()
        assert code == 130, (arguments, output)
        until(lambda: "cancelled" in open(RECORD).read())
    terminal = Terminal("listen", shlex.join(EVERYTHING))
    terminal.until("tools")
    terminal.send(INTERRUPT)
    assert terminal.end()[0] == 0


@part("Ctrl-C at a question cancels the call")
def _():
    terminal = Terminal("call", URL, "ask")
    terminal.answer("type to filter", INTERRUPT)
    code, output = terminal.end()
    assert code == 130, output


@part("a variable that is asked for")
def _():
    os.makedirs(f"{WORK}/project/.vscode", exist_ok=True)
    with open(f"{WORK}/project/.vscode/mcp.json", "w") as file:
        inputs = [{"id": "who", "type": "promptString", "description": "Who is it?", "password": True}]
        server = {"type": "stdio", "command": FASTMCP[0], "args": FASTMCP[1:], "env": {"RECORD": "${input:who}"}}
        json.dump({"inputs": inputs, "servers": {"asked": server}}, file)
    terminal = Terminal.shell('cd "$1" && mcp inspect vscode:asked', f"{WORK}/project")
    terminal.answer("The answer is kept", "y\r")
    terminal.answer("Who is it?", "secret\r")
    code, output = terminal.end()
    assert code == 0 and b"secret" not in output and "stranger 1.0" in plain(output), output


@part("trust in a file of a project")
def _():
    folder, trace = f"{WORK}/stranger", f"{WORK}/trace"
    os.makedirs(folder, exist_ok=True)
    programs = {
        "touch": {"command": "touch", "args": [trace]},
        "fake\x1b]0;title\x07\n  more": {"command": "a", "args": ["\x1b[8mhidden\n? Do you trust"], "env": {"K": "v"}},
        "asked": {"command": FASTMCP[0], "args": FASTMCP[1:], "env": {"RECORD": RECORD}},
    }
    with open(f"{folder}/.mcp.json", "w") as file:
        json.dump({"mcpServers": programs}, file)
    for keys, code in [("n\r", 2), ("\r", 2), (ESCAPE, 2), (INTERRUPT, 130)]:
        terminal = Terminal.shell('cd "$1" && mcp inspect touch', folder)
        before = terminal.until("Do you trust")
        # The command line's server comes first, and each server takes one line.
        assert before.index(f"touch: touch {trace}\n") < before.index("fake\\u{1b}]0;title\\u{7}\\n  more: "), before
        assert "'K=v' a " in before and "\\u{1b}[8mhidden\\n? " in before, before
        terminal.answer("The answer is kept", keys)
        ended, output = terminal.end()
        assert ended == code and b"\x1b]" not in output and b"\x1b[8m" not in output, (keys, output)
        assert not os.path.exists(trace), keys
    terminal = Terminal.shell('cd "$1" && mcp inspect asked', folder)
    terminal.answer("The answer is kept", "y\r")
    assert terminal.end()[0] == 0
    code, output = Terminal.shell('cd "$1" && mcp inspect asked', folder).end()
    assert code == 0 and b"Do you trust" not in output, output


serving.__exit__(*sys.exc_info())
end()
