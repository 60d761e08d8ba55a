"""Logs in to the example `protected`, with a certified authorization server and a script as the browser."""

import json
import stat
import subprocess
from pathlib import Path

from accounts import TOKENS, log_in, protected
from checks import end, part
from program import WORK, Terminal, document, done, fails, plain
from servers import until


def asks_for_login(server, *arguments):
    message = fails(3, "authorization_required", *arguments)
    assert f"mcp login {server.url}" in message, message


@part("a login, and the commands after it")
def _():
    with protected() as server:
        for arguments in [["inspect", server.url], ["call", server.url, "whoami"]]:
            asks_for_login(server, *arguments)
        message = fails(3, "authorization_required", "login", server.url)
        assert "`mcp login` needs a terminal" in message and f"mcp login {server.url}" not in message, message
        log_in(server)
        assert stat.S_IMODE(TOKENS.stat().st_mode) == 0o700, oct(TOKENS.stat().st_mode)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in TOKENS.iterdir()}
        assert modes and set(modes.values()) == {0o600}, modes
        assert done("call", server.url, "whoami").text == "alice\n"
        assert {tool["name"] for tool in document("inspect", server.url)["tools"]} == {"whoami", "write"}
        asks_for_login(server, "inspect", server.url, "--auth", "none")
        assert server.url in done("logout", server.url).text
        assert not any(server.url in path.read_text() for path in TOKENS.iterdir())
        asks_for_login(server, "call", server.url, "whoami")
        assert "not logged in" in fails(2, "usage", "logout", server.url)


@part("a login by another command, and by a script without a terminal")
def _():
    with protected() as server:
        code, output = Terminal("call", server.url, "whoami", BROWSER=server.browser).end()
        assert code == 0 and "alice" in plain(output), output
        # Without a terminal, the stored tokens are used.
        assert document("call", server.url, "whoami")["content"][0]["text"] == "alice"
        assert document("logout", server.url)
        answer = f"{WORK}/answer"
        Terminal.shell('mcp --json login "$1" >"$2"', server.url, answer, BROWSER=server.browser).end()
        assert json.loads(Path(answer).read_text())


@part("tokens that expire are refreshed, until they can not be")
def _():
    with protected() as server:
        server.tell("lifetime 1")
        log_in(server)

        def is_refreshed():
            assert done("call", server.url, "whoami").text == "alice\n"
            return "grant.success refresh_token" in server.tell("log")

        until(is_refreshed)
        server.tell("forget")
        asks_for_login(server, "call", server.url, "whoami")


@part("a login that the person refuses")
def _():
    with protected() as server:
        code, output = Terminal("login", server.url, BROWSER=server.browser, REFUSE="yes").end()
        assert code == 3 and "access_denied" in plain(output), (code, output)
        asks_for_login(server, "call", server.url, "whoami")


@part("a terminal without a browser shows the page")
def _():
    with protected() as server:
        terminal = Terminal("login", server.url, BROWSER="/nowhere/browser")
        page = "http" + terminal.until("\r\n").split("Log in at http")[1]
        terminal.until("open the page yourself")
        subprocess.run([server.browser, page], check=True, timeout=30)
        code, output = terminal.end()
        assert code == 0 and "logged in" in plain(output), output


end()
