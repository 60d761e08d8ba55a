"""Starts `mcp proxy` over stdio and HTTP."""

import re
import subprocess
import threading
from contextlib import contextmanager

from program import ENVIRONMENT, HOME, LIMIT, MCP


def over_stdio(*arguments):
    """The command of a proxy that serves standard input and output."""
    return [MCP, "proxy", *arguments]


class Proxy:
    """A running proxy that serves HTTP, with the lines of its standard error."""

    def __init__(self, *arguments, **environment):
        self.process = subprocess.Popen(
            [MCP, "proxy", "--http", "0", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=HOME,
            env={**ENVIRONMENT, **environment},
        )
        self.lines, self.url, self.started = [], None, threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        assert self.started.wait(LIMIT) and self.url, f"the proxy does not tell its URL: {self.lines}"

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if not self.url and (found := re.search(r"http://127\.0\.0\.1:\d+/mcp", line)):
                self.url = found[0]
                self.started.set()
        self.started.set()

    def end(self):
        """Ends the proxy by SIGTERM, and returns its exit code and standard output."""
        self.process.terminate()
        try:
            output = self.process.stdout.read()
            return self.process.wait(LIMIT), output
        finally:
            self.process.kill()


@contextmanager
def over_http(*arguments, **environment):
    proxy = Proxy(*arguments, **environment)
    try:
        yield proxy.url
    finally:
        proxy.end()
