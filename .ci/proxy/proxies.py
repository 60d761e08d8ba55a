"""Starts `mcp proxy` in front of the test server and of others."""

import atexit
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

from program import ENVIRONMENT, HOME, LIMIT, MCP, WORK
from wire import Http, Stdio

SERVER = [sys.executable, str(Path(__file__).parent / "server.py")]


def over_stdio(*arguments):
    """The command of a proxy that serves standard input and output."""
    return [MCP, "proxy", *arguments]


class Proxy:
    """A running proxy that serves HTTP, with the lines of its standard error."""

    def __init__(self, *arguments, **environment):
        pipe = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        environment = {**ENVIRONMENT, **environment}
        command = over_stdio("--http", "0", *arguments)
        self.process = subprocess.Popen(command, **pipe, text=True, cwd=HOME, env=environment)
        atexit.register(self.process.kill)
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


class Program:
    """The test server as a target, with what it records."""

    last = 0

    def __init__(self, *arguments):
        Program.last += 1
        self.file = Path(WORK) / f"record-{Program.last}"
        self.file.touch()
        self.target = ["--env", "RECORD", "--", *SERVER, *arguments]
        self.environment = {"RECORD": str(self.file)}

    def stdio(self, *options):
        return Stdio(over_stdio(*options, *self.target), **self.environment)

    def proxy(self, *options):
        return Proxy(*options, *self.target, **self.environment)

    @contextmanager
    def front(self, kind):
        """Yields a function that makes clients of a new proxy."""
        if kind == "http":
            with over_http(*self.target, **self.environment) as url:
                yield lambda: Http(url)
        else:
            with self.stdio() as client:
                yield lambda: client

    def record(self):
        return self.file.read_text().splitlines()

    def processes(self):
        return [int(line.removeprefix("pid ")) for line in self.record() if line.startswith("pid ")]

    def is_gone(self):
        """True if no process of the server runs."""
        return not any(runs(process) for process in self.processes())


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
