"""Logs in to the example `protected`, with a certified authorization server and a script as the browser."""

import json
import os
import signal
import stat
import subprocess
from pathlib import Path

from accounts import TOKENS, log_in, protected
from checks import end, part
from program import LIMIT, WORK, Terminal, document, done, fails, plain
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


@part("a terminal takes the pasted address of a browser on another machine")
def _():
    with protected() as server:
        terminal = Terminal("login", server.url, BROWSER="/nowhere/browser")
        page = "http" + terminal.until("\r\n").split("Log in at http")[1]
        terminal.until("paste the address")
        terminal.send(page + "\r")
        terminal.until("Paste the address that begins with ")
        redirect = terminal.until("?")
        terminal.send(f"{redirect}?code=a&state=b\r")
        terminal.until("another login")
        last = Path(WORK) / "redirect"
        environment = {**os.environ, "UNTIL": redirect, "LAST_PAGE": str(last)}
        subprocess.run([server.browser, page], check=True, timeout=LIMIT, env=environment)
        terminal.send(last.read_text() + "\r")
        code, output = terminal.end()
        assert code == 0 and "logged in" in plain(output), output
        assert done("logout", server.url)


@part("three commands at once, one of which asks the person")
def _():
    with protected() as server:
        pages = Path(WORK) / "pages"
        commands = [Terminal("inspect", server.url, BROWSER=server.browser, PAGES=str(pages)) for _ in range(3)]
        for command in commands:
            code, output = command.end()
            assert code == 0 and "whoami" in plain(output), output
        assert len(pages.read_text().splitlines()) == 1, pages.read_text()
        log = server.tell("log")
        for event in ["registration_create.success", "grant.success authorization_code"]:
            assert log.count(event) == 1, log


@part("the next command asks when the first is killed")
def _():
    with protected() as server:
        killed = Terminal("call", server.url, "whoami", BROWSER="true")
        killed.until("Log in at ")
        page = killed.until("\r\n").strip()
        waiting = Terminal("call", server.url, "whoami", BROWSER=server.browser)
        # It shows the page of the first command.
        waiting.until(page)
        killed.child.kill(signal.SIGKILL)
        code, output = waiting.end()
        assert code == 0 and "alice" in plain(output), output
        log = server.tell("log")
        assert log.count("grant.success authorization_code") == 1, log


end()
