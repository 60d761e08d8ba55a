"""Runs the command in tmux, which shows what a person would see at a given width."""

import itertools
import os
import re
import shlex
import subprocess

from program import ENVIRONMENT, HOME, MCP
from servers import until

# The widths at which each screen is looked at, in columns.
WIDTHS = [60, 80, 160]
numbers = itertools.count()


class Pane:
    """A terminal of 200 lines that runs a line of shell, in which `mcp` is the command."""

    def __init__(self, columns, line):
        self.columns = columns
        self.socket = f"mcp-{os.getpid()}-{next(numbers)}"
        script = f'trap : INT; mcp() {{ {shlex.quote(MCP)} "$@"; }}; {line}; echo "ended with $?"; sleep 60'
        self._tmux("new-session", "-d", "-s", "pane", "-x", str(columns), "-y", "200", "sh", "-c", script)

    def _tmux(self, *arguments):
        command = ["tmux", "-L", self.socket, "-f", "/dev/null", *arguments]
        return subprocess.run(command, capture_output=True, check=True, env=ENVIRONMENT, cwd=HOME).stdout.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tmux("kill-server")

    def send(self, *keys):
        self._tmux("send-keys", "-t", "pane", *keys)

    def shown(self, *options):
        """The lines on the terminal, without spaces at their ends."""
        lines = self._tmux("capture-pane", "-t", "pane", "-p", *options).splitlines()
        return "\n".join(line.rstrip() for line in lines).rstrip()

    def until(self, pattern):
        """Waits until the terminal shows a pattern, and returns what it shows."""
        shown = ""

        def is_shown():
            nonlocal shown
            shown = self.shown()
            return re.search(pattern, shown)

        try:
            until(is_shown)
        except AssertionError:
            raise AssertionError(f"{pattern} is not shown:\n{shown}") from None
        return shown

    def end(self):
        """Waits until the command has ended, and returns its exit code and what it has shown."""
        shown, code = self.until(r"ended with \d+").rsplit("ended with ", 1)
        return int(code), shown.rstrip()

    def broken(self):
        """The lines that the terminal had to break, except before a last word that is never broken."""
        lines = self.shown("-J").splitlines()
        return [line for line in lines if len(line.rpartition(" ")[0].rstrip()) > self.columns]

    def styles(self):
        """The styles that are used, as parameters of SGR (ECMA-48)."""
        used = re.findall(r"\x1b\[([0-9;]*)m", self.shown("-e"))
        return {it for each in used for it in each.split(";")}
