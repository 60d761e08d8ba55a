"""Runs the example `protected` with a certified authorization server, and logs in with a script as the browser."""

import json
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

from program import HOME, WORK, Terminal, plain

TOKENS = Path(HOME) / ".local/share/mcp/tokens"


class Protected:
    """Runs the server, and controls its authorization server."""

    def __init__(self):
        command = ["node", os.environ["PROTECTED_SCRIPT"], os.environ["PROTECTED"], WORK]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        started = self._line()
        self.url, self.browser = started["url"], started["browser"]

    def _line(self):
        # Skip the warnings of `oidc-provider`.
        for line in self.process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        raise AssertionError("the authorization server has ended")

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self._line().get("answer")


@contextmanager
def protected():
    server = Protected()
    try:
        yield server
    finally:
        server.process.stdin.close()
        server.process.wait(timeout=10)


def log_in(server, **environment):
    terminal = Terminal("login", server.url, BROWSER=server.browser, **environment)
    code, output = terminal.end()
    assert code == 0 and f"logged in to {server.url}" in plain(output), output
