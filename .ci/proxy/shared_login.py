"""Logs in through several proxies that a client starts at once, as desktop clients do."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from accounts import protected
from checks import end, part
from program import WORK
from proxies import over_stdio
from servers import until
from wire import Stdio

URL_MODE = {"elicitation": {"url": {}}}


def browser(server, folder):
    """A browser in which the person waits for the file `go`. Each start adds a line to `opened`."""
    opened, go, script = folder / "opened", folder / "go", folder / "browser"
    opened.touch()
    waits = f"while [ ! -e {go} ]; do sleep 0.05; done"
    script.write_text(f'#!/bin/sh\necho "$PPID" >>{opened}\n{waits}\nexec {server.browser} "$@"\n')
    script.chmod(0o755)
    return str(script), lambda: [int(line) for line in opened.read_text().split()], go


@part("three proxies at once, one of which is killed")
def _():
    folder = Path(WORK) / "three"
    folder.mkdir()
    with protected() as server, ThreadPoolExecutor() as threads:
        script, opened, go = browser(server, folder)
        clients = [Stdio(over_stdio(server.url), BROWSER=script) for _ in range(3)]
        connecting = [threads.submit(client.connect, "handshake", **URL_MODE) for client in clients]
        until(opened)
        # The login outlasts the wait of `initialize`.
        for connected in connecting:
            assert connected.result(20).server["capabilities"]["tools"]["listChanged"]
        [first] = opened()
        for client in clients:
            assert client.result("tools/list")["tools"] == []
            refused = client.wait(client.start("whoami"))["error"]
            assert refused["code"] == -32042 and server.browser not in json.dumps(refused), refused
            assert refused["data"]["elicitations"][0]["url"].startswith("http"), refused
        [killed] = [client for client in clients if client.process.pid == first]
        os.kill(first, signal.SIGKILL)
        clients.remove(killed)
        # Another one asks the person.
        until(lambda: len(opened()) == 2)
        go.touch()
        for client in clients:
            client.noticed("notifications/tools/list_changed")
            assert client.call("whoami") == "alice"
            assert {tool["name"] for tool in client.result("tools/list")["tools"]} == {"whoami", "write"}
        assert len(opened()) == 2, opened()
        log = server.tell("log")
        assert log.count("registration_create.success") <= 2 and log.count("grant.success authorization_code") <= 2, log
        for client in clients:
            assert client.end() == 0


@part("a proxy without a browser")
def _():
    with protected() as server, Stdio(over_stdio(server.url), BROWSER="", DISPLAY="", WAYLAND_DISPLAY="") as client:
        about = {"capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
        refused = client.request("initialize", {"protocolVersion": "2025-11-25", **about})
        assert f"mcp login {server.url}" in refused["error"]["message"], refused


end()
